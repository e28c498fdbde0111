/* Inside the recorder: its state and what its parts offer one another. Built once per MPI, against that MPI's mpi.h. */
#ifndef STRIDEWISE_RECORDER_H
#define STRIDEWISE_RECORDER_H

#include "interpose.h"
#include <mpi.h>

#pragma GCC visibility push(hidden)

/* Sizes of the private tables; with the shard's default sizes they stay below 8 MiB. Powers of two. */
#define SW_FRAMES 8192u
#define SW_PATH_SLOTS 8192u
#define SW_CHANNELS 8192u
#define SW_REQUESTS 8192u
#define SW_OBJECTS 2048u
#define SW_TYPES 1024u
#define SW_GENERATIONS 4096u
#define SW_SCRATCH 4096u

/* Messages alike that are recorded one by one before a run begins; STRIDEWISE_MPI_RUN sets another number, 0 no runs.
 */
#define SW_DEFAULT_RUN 16u

/* Capacities of the shard's sections; that of the events can be chosen by STRIDEWISE_MPI_EVENTS. */
#define SW_DEFAULT_EVENTS 49152u
#define SW_TABLE_SLOTS 8192u
#define SW_PATHS 4096u
#define SW_PHASES 128u
#define SW_COMMS 1024u
#define SW_MEMBERS 131072u
#define SW_MODULES 192u

/* MPI functions for internal use. They are looked up, not linked: the library must load where there is no MPI. */
#define SW_PMPI_LIST(X)                                                                                                \
  X(Allreduce)                                                                                                         \
  X(Bcast)                                                                                                             \
  X(Cartdim_get)                                                                                                       \
  X(Comm_dup)                                                                                                          \
  X(Comm_free)                                                                                                         \
  X(Comm_group)                                                                                                        \
  X(Comm_rank)                                                                                                         \
  X(Comm_remote_group)                                                                                                 \
  X(Comm_set_errhandler)                                                                                               \
  X(Comm_size)                                                                                                         \
  X(Comm_split)                                                                                                        \
  X(Comm_test_inter)                                                                                                   \
  X(Dist_graph_neighbors_count)                                                                                        \
  X(File_f2c)                                                                                                          \
  X(Gather)                                                                                                            \
  X(Graph_neighbors_count)                                                                                             \
  X(Group_free)                                                                                                        \
  X(Group_size)                                                                                                        \
  X(Group_translate_ranks)                                                                                             \
  X(Irecv)                                                                                                             \
  X(Isend)                                                                                                             \
  X(Query_thread)                                                                                                      \
  X(Recv)                                                                                                              \
  X(Send)                                                                                                              \
  X(Test)                                                                                                              \
  X(Topo_test)                                                                                                         \
  X(Type_free)                                                                                                         \
  X(Type_get_contents)                                                                                                 \
  X(Type_get_envelope)                                                                                                 \
  X(Type_get_extent)                                                                                                   \
  X(Type_get_true_extent)                                                                                              \
  X(Type_size)
#ifdef OPEN_MPI
#define SW_PMPI_FLAVOUR_LIST(X)                                                                                        \
  X(Comm_f2c)                                                                                                          \
  X(Message_f2c)                                                                                                       \
  X(Request_f2c)                                                                                                       \
  X(Type_f2c)                                                                                                          \
  X(Win_f2c)
#else
#define SW_PMPI_FLAVOUR_LIST(X)
#endif

struct sw_pmpi {
#define SW_PMPI_MEMBER(name) __typeof__(PMPI_##name) *name;
  SW_PMPI_LIST(SW_PMPI_MEMBER)
  SW_PMPI_FLAVOUR_LIST(SW_PMPI_MEMBER)
#undef SW_PMPI_MEMBER
};
extern struct sw_pmpi sw_pmpi;

/* Predefined handles; in Open MPI they are addresses of data that this library must not refer to by name. */
struct sw_predefined {
  MPI_Comm comm_world, comm_self, comm_null;
  MPI_Request request_null;
  MPI_Message message_null, message_no_proc;
  MPI_Datatype type_int, type_uint64, type_byte;
  MPI_Op op_max, op_sum;
  MPI_Errhandler errors_return;
};
extern struct sw_predefined sw_predefined;

/* The shard while it is mapped. */
struct sw_shard {
  struct sw_header *header;
  struct sw_event *events;
  struct sw_call_stats *table;
  struct sw_path *paths;
  struct sw_comm *comms;
  int32_t *members;
  struct sw_module *modules;
  struct sw_thread_totals *threads;
  struct sw_progress *progress;
  struct sw_fate *fate;
  struct sw_phase *phases;
  struct sw_section *comm_section, *member_section, *path_section, *table_section, *module_section, *event_section,
      *thread_section, *progress_section, *fate_section, *phase_section;
  uint64_t event_capacity, event_head; /* as in the header, where threads count events on the same cache line */
  char path[1024];                     /* where it is found in the end */
  char mapped[1024];                   /* where it is while the program runs: the same, or on the node */
  char folder[768];
};
extern struct sw_shard sw_shard;

extern uint32_t sw_phase; /* that the process is in: its number in the shard from 1, or 0 */
void sw_phases_init(void);
void *sw_find_symbol(const char *name); /* the next definition, of the MPI or of another tool */

/* Threads. Below MPI_THREAD_SERIALIZED the program itself lets one at a time into MPI, and nothing here costs anything.
 * Under it recording takes no lock: a thread writes to entries that are its own, or by atomic operations. The lock is
 * for what happens once per place, communicator or datatype: entering it into its table. Those who look up take no
 * lock, and see an entry whole or not at all. A holder may lose its processor, so that others give theirs away. */
#define SW_THREADS 255u /* threads at a time that have a number of their own; that number itself is for all others */
extern int sw_multiple;
extern int sw_lock_word;
void sw_lock_wait(void);
static inline void sw_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}
static inline void sw_lock(void) {
  if (SW_UNLIKELY(sw_multiple) && __atomic_exchange_n(&sw_lock_word, 1, __ATOMIC_ACQUIRE))
    sw_lock_wait();
}
static inline void sw_unlock(void) {
  if (SW_UNLIKELY(sw_multiple))
    __atomic_store_n(&sw_lock_word, 0, __ATOMIC_RELEASE);
}

static inline int sw_try_lock(void) { return !sw_multiple || !__atomic_exchange_n(&sw_lock_word, 1, __ATOMIC_ACQUIRE); }

/* threads.c: what goes with a thread's number, on a cache line of its own */
struct sw_lane {
  int recording; /* threads of this number that are recording a call */
  int taken;
  uint32_t tables; /* of requests */
  uint64_t serial; /* of the latest request */
} __attribute__((aligned(64)));
extern struct sw_lane sw_lanes[SW_THREADS + 1];
void sw_threads_reset(void);
void sw_number_thread(struct sw_thread *thread);
int sw_quiet(void); /* once sw_active is 0: waits until nobody is recording; 0 if somebody does not come to an end */

/* Between these two the shard stays where it is; false when recording has ended. */
static inline int sw_begin_recording(struct sw_thread *thread) {
  int first = !thread->numbered;
  if (SW_UNLIKELY(first))
    sw_number_thread(thread);
  if (SW_UNLIKELY(sw_multiple)) {
    int *recording = &sw_lanes[thread->number].recording;
    __atomic_fetch_add(recording, 1, __ATOMIC_SEQ_CST);
    if (SW_UNLIKELY(!__atomic_load_n(&sw_active, __ATOMIC_SEQ_CST))) {
      __atomic_fetch_sub(recording, 1, __ATOMIC_RELEASE);
      return 0;
    }
    if (SW_UNLIKELY(first))
      __atomic_fetch_add(&sw_shard.threads[thread->number].threads, 1, __ATOMIC_RELAXED);
    return 1;
  }
  return __atomic_load_n(&sw_active, __ATOMIC_RELAXED);
}
static inline void sw_end_recording(const struct sw_thread *thread) {
  if (SW_UNLIKELY(sw_multiple)) {
    int *recording = &sw_lanes[thread->number].recording;
    if (SW_UNLIKELY(thread->number == SW_THREADS))
      __atomic_fetch_sub(recording, 1, __ATOMIC_RELEASE);
    else
      __atomic_store_n(recording, 0, __ATOMIC_RELEASE);
  }
}

/* Counts what happens rarely, in a counter that threads share. */
static inline void sw_count(uint64_t *counter) {
  if (sw_multiple)
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
  else
    ++*counter;
}

static inline uint64_t sw_mix(uint64_t a, uint64_t b) {
  uint64_t h = (a ^ b) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ (h >> 29);
}

/* callpath.c */
void sw_callpath_init(const void *mpi); /* an address in the MPI library */
uint32_t sw_call_path(struct sw_call *call);
uint32_t sw_site_path(const struct sw_call *call); /* the call site alone; waits for nobody */
int sw_path_by_mpi(uint32_t path);                 /* whether MPI itself called what is at the end of the path */
/* The frames of this thread, innermost first, as sw_fate has them: from the instruction `first` on, of which a signal
 * tells, or all if it is 0. Returns how many. Safe in a handler of signals as far as the unwinder is. */
uint32_t sw_backtrace(uint64_t *frames, uint32_t most, uint64_t first);

/* shard.c */
int sw_shard_open(int world_rank, int world_size, uint64_t job_id); /* 0 or errno; sw_shard.path is set either way */
void sw_shard_refresh_clock(void);
void sw_shard_refresh_usage(void);
void sw_shard_scan_modules(void);
void sw_shard_add_up_threads(void); /* to the header */
int sw_shard_knows(uint64_t pc);
void sw_shard_finish(uint32_t state); /* writes the compact form to its place, in place of a mapped one there */
void sw_shard_bring_home(void);       /* of a process that ends early: from the node to where it is looked for */
void sw_shard_close(int closed);      /* marks the end of the rank's life */
void sw_shard_forget(void);           /* in a fork's child */
void sw_read_clock(struct sw_clock *clock);

struct sw_usage sw_shard_usage(void); /* since the shard was opened */
/* Writes a shard with this header and these sections in one step, `name` in place of the rank in the file's name; each
 * section's `offset` is the address of its entries. 0 or -1. */
int sw_shard_write_other(const struct sw_header *header, const struct sw_section *sections, int count,
                         const char *name);
void sw_shard_remove(void); /* its content lives on in a summary */

/* reduce.c: one summary for many ranks, in place of their shards */
extern int sw_summary_written;                             /* by this rank */
int64_t sw_reduce_wish(int size);                          /* ranks of a group by the environment, 0 for no reduction */
void sw_reduce_prepare(int64_t group, int rank, int size); /* on all ranks, at MPI_Init */
int sw_reduce(void); /* at MPI_Finalize: whether this rank's shard is no longer needed */

/* tables.c: communicators, windows, files, datatypes */
struct sw_comm_entry {
  uint32_t index; /* in the shard; SW_NO_COMM if it is not there */
  uint32_t size;
  const int32_t *world;         /* local rank to world rank; null for the identity, and for what is outside the world */
  uint64_t base_id, members_id; /* what the stable id was made of */
  uint32_t neighbours;          /* of a process topology, else 0 */
  uint8_t inter, identity;
};
void sw_tables_init(int world_size);
const struct sw_comm_entry *sw_comm_find(uint64_t handle);
const struct sw_comm_entry *sw_comm_known(uint64_t handle); /* null if it was not met yet; asks the MPI nothing */
const struct sw_comm_entry *sw_comm_at(uint32_t index);
void sw_comm_register(uint64_t handle, const struct sw_comm_entry *parent);
uint32_t sw_comm_reserve_duplicate(const struct sw_comm_entry *parent); /* SW_NO_COMM if there is no room */
void sw_object_set(uint64_t handle, enum sw_handle_kind kind, uint32_t value);
uint32_t sw_object_find(uint64_t handle, enum sw_handle_kind kind); /* SW_NO_COMM if unknown */
void sw_object_forget(uint64_t handle, enum sw_handle_kind kind);

struct sw_type_info {
  int64_t lower_bound; /* of the data */
  uint64_t bytes;
  uint64_t pieces; /* contiguous ones of an element; 0 if it has no gaps, or if unknown */
  uint64_t span;   /* from an element's first byte to its last */
  uint64_t pitch;  /* from one element to the next */
  int contiguous;  /* any number of elements is one range of bytes without gaps */
};
struct sw_type_info sw_type_find(uint64_t handle);
void sw_type_forget(uint64_t handle);

/* datatypes.c */
uint64_t sw_type_pieces(MPI_Datatype type); /* contiguous ones of an element; 0 if unknown */

/* A map of fixed capacity from numbers to small numbers: open addressing, at most half full. */
struct sw_map_slot {
  uint64_t key;
  uint32_t value;
  uint32_t used;
};
struct sw_map {
  struct sw_map_slot *slots;
  uint32_t mask;
  uint32_t used;
};
static inline uint32_t sw_map_home(const struct sw_map *map, uint64_t key) {
  return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & map->mask;
}
static inline struct sw_map_slot *sw_map_find(const struct sw_map *map, uint64_t key) {
  for (uint32_t i = sw_map_home(map, key);; i = (i + 1) & map->mask) {
    struct sw_map_slot *slot = &map->slots[i];
    if (!slot->used || slot->key == key)
      return slot->used ? slot : NULL;
  }
}
int sw_map_set(struct sw_map *map, uint64_t key, uint32_t value); /* 0 if the map is full */
void sw_map_remove(struct sw_map *map, uint64_t key);

/* requests.c */
struct sw_request {
  uint64_t serial;
  uint64_t address;
  uint64_t hash_bytes;   /* of a persistent send, to hash at each start */
  uint64_t pieces, span; /* of a persistent send by a datatype with gaps */
  uint64_t bytes;
  uint32_t flags;
  uint32_t comm;
  int32_t peer;
  int32_t tag;
  uint32_t seq;
  uint32_t new_comm;                    /* index reserved by a non-blocking duplication */
  const void *new_handle;               /* where it will put the handle */
  uint32_t next, last;                  /* index + 1 of the next and, in the first, of the last with the same handle */
  uint32_t partitions, partitions_left; /* of a partitioned message: all, and those not ready yet */
  uint8_t persistent, active, binding;
  uint8_t pair; /* the sending half of MPI_Isendrecv: the other half has the same handle and comes right behind */
  uint8_t half; /* that other half; MPICH 4.0 leaves its status unset, so only what was asked for is known */
};
void sw_requests_reset(void);
void sw_requests_leave(uint32_t number); /* the thread of that number has ended */
void sw_request_add(const struct sw_thread *thread, uint64_t handle, const struct sw_request *request);
/* A copy of the request that ended: it is forgotten, or no longer active if it is persistent. 0 if it is unknown. */
int sw_request_take(const struct sw_thread *thread, uint64_t handle, struct sw_request *out);
/* Forgets a request without an end, with its other half. */
void sw_request_drop(const struct sw_thread *thread, uint64_t handle);
/* The request itself, which nobody else changes until it is let go. */
struct sw_request *sw_request_hold(const struct sw_thread *thread, uint64_t handle);
void sw_request_let_go(const struct sw_request *request);
/* Below MPI_THREAD_SERIALIZED only. */
struct sw_request *sw_request_find(uint64_t handle);
void sw_request_remove(uint64_t handle);

static inline int sw_world_rank(const struct sw_comm_entry *comm, int rank) {
  if (SW_UNLIKELY(rank < 0))
    return rank == MPI_PROC_NULL ? SW_PEER_NULL : rank == MPI_ANY_SOURCE ? SW_PEER_ANY : SW_PEER_OTHER;
  if (comm->identity)
    return rank;
  return comm->world ? comm->world[rank] : SW_PEER_OTHER;
}

/* Handles as numbers, whatever the binding. */
#ifdef OPEN_MPI
#define SW_FROM_FORTRAN(name, value) ((uint64_t)(uintptr_t)sw_pmpi.name##_f2c((MPI_Fint)(value)))
#define SW_HANDLE(mpi_type, value) ((mpi_type)(uintptr_t)(value))
#else
#define SW_FROM_FORTRAN(name, value) ((uint64_t)(uint32_t)(value))
#define SW_HANDLE(mpi_type, value) ((mpi_type)(int)(value))
#endif
#define SW_NUMBER(handle) SW_NUMBER_(handle)
#ifdef OPEN_MPI
#define SW_NUMBER_(handle) ((uint64_t)(uintptr_t)(handle))
#else
#define SW_NUMBER_(handle) ((uint64_t)(uint32_t)(handle))
#endif

/* lifecycle.c */
extern const void *sw_fortran_ignore[8];
extern const void *sw_fortran_in_place[8];
extern const void *sw_fortran_bottom[8]; /* what stands for address 0 */
extern int sw_f08_first_index;           /* of the first request, as the mpi_f08 module of this MPI counts */
static inline int sw_listed(const void *const *list, const void *pointer) {
  for (; *list; ++list)
    if (*list == pointer)
      return 1;
  return 0;
}

/* record.c */
extern int sw_hash_payload;         /* 0 where a payload may lie in memory that the processor cannot read */
extern uint64_t sw_burst_gap_ticks; /* computation between two sends of one burst */
extern uint64_t sw_run_threshold;   /* messages alike that are recorded one by one before a run begins */
void sw_record_reset(void);
void sw_record_effect(struct sw_call *call, uint64_t bytes, int careful); /* careful: perhaps in a signal handler */
void sw_record_finalize(struct sw_call *call);                            /* where MPI_Finalize stands */

/* fate.c: what ends the process */
void sw_fate_watch(void);   /* from the end of MPI_Init */
void sw_fate_unwatch(void); /* until MPI_Finalize: the program's own actions are the kernel's again */
void sw_fate_note(enum sw_fate_kind kind, int code); /* other ends than by a signal */

/* effects.c */
extern int sw_effects; /* 0: not watched, 1: of the first thread, 2: of all that call MPI */

#pragma GCC visibility pop
#endif
