/* Between the generated wrappers and the recorder.
 *
 * Nothing here needs an mpi.h: handles pass through as machine words, which suits an MPI whose handles are ints as well
 * as one whose handles are pointers, so that a wrapper passes a call on intact even when the library was preloaded into
 * a program of the other MPI.
 */
#ifndef STRIDEWISE_INTERPOSE_H
#define STRIDEWISE_INTERPOSE_H

#include "shard_format.h"
#include <stddef.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#else
#include <time.h>
#endif

#define SW_EXPORT __attribute__((visibility("default")))
#define SW_INITIAL_EXEC __attribute__((tls_model("initial-exec")))
#define SW_UNLIKELY(x) __builtin_expect(!!(x), 0)

typedef intptr_t sw_handle;

/* The names under which a program can reach one MPI call. */
enum sw_binding {
  SW_BINDING_C,
  SW_BINDING_F,
  SW_BINDING_F2,
  SW_BINDING_F08,
  SW_BINDING_F08TS,
  SW_BINDING_CPTR,  /* Fortran's MPI_Win_allocate with a C pointer */
  SW_BINDING_LARGE, /* MPI_X_c and what mpi_f08 makes of it */
  SW_BINDING_F08_LARGE,
  SW_BINDING_F08TS_LARGE,
  SW_BINDINGS
};

/* Roles that not every call of a kind has. */
enum sw_has {
  SW_HAS_BUFFER = 1 << 0,
  SW_HAS_RECV_BUFFER = 1 << 1,
  SW_HAS_COUNT = 1 << 2,
  SW_HAS_RECV_COUNT = 1 << 3,
  SW_HAS_TYPE = 1 << 4,
  SW_HAS_RECV_TYPE = 1 << 5,
  SW_HAS_TYPES = 1 << 6,
  SW_HAS_RECV_TYPES = 1 << 7,
  SW_HAS_PEER = 1 << 8,
  SW_HAS_ROOT = 1 << 9,
  SW_HAS_FLAG = 1 << 10
};

/* How many bytes a rank contributes to a collective. */
enum sw_volume {
  SW_VOLUME_NONE,
  SW_VOLUME_SEND,
  SW_VOLUME_RECV,
  SW_VOLUME_SEND_SIZE,
  SW_VOLUME_RECV_SIZE,
  SW_VOLUME_SEND_NEIGHBOURS,
  SW_VOLUME_SUM_SEND,
  SW_VOLUME_SUM_RECV,
  SW_VOLUME_SUM_NEIGHBOURS
};

/* What sort of handle is about to be set to null. */
enum sw_handle_kind { SW_KIND_REQUEST, SW_KIND_COMM, SW_KIND_WIN, SW_KIND_FILE, SW_KIND_TYPE, SW_KIND_MESSAGE };

struct sw_comm_entry;

struct sw_call_info {
  const char *name;
  uint32_t flags; /* enum sw_event_flags */
  uint16_t has;   /* enum sw_has */
  uint16_t volume;
};

/* Where the user called: the return address of the wrapper and the stack pointer that the caller has after it. */
struct sw_site {
  uint64_t pc;
  const char *cfa;
};
#define SW_HERE                                                                                                        \
  ((struct sw_site){(uint64_t)(uintptr_t)__builtin_return_address(0), (const char *)__builtin_dwarf_cfa()})

/* Arguments of interest. A wrapper sets only those that its call has. In Fortran, handles are the Fortran integers and
 * pointers point to Fortran integers. */
struct sw_op {
  int binding;
  int section;     /* the buffer is an array section with gaps, or may be one */
  int wide_counts; /* the arrays of counts hold 64-bit numbers */
  int64_t count, recv_count;
  int peer, recv_peer;
  int tag, recv_tag;
  int root;
  int n;
  int partitions, partition_low, partition_high;
  const void *buffer, *recv_buffer;
  const void *counts, *recv_counts;
  sw_handle type, recv_type;
  const void *types, *recv_types;
  sw_handle comm, win, file, request_value;
  void *request, *requests, *message;
  void *status, *statuses;
  const int *flag, *index, *indices, *outcount, *provided;
  void *new_comm, *new_win, *new_file, *pointer;
};

#define SW_INLINE_REQUESTS 32
#define SW_STATUS_WORDS 3 /* 8-byte words; the recorder asserts that a status fits */

/* One call in progress, on the wrapper's stack. */
struct sw_call {
  struct sw_thread *thread;
  struct sw_site site;
  uint64_t begin;
  uint64_t end;
  const struct sw_comm_entry *comm; /* of its arguments, where it has been looked up */
  uint32_t path;
  uint16_t index;
  uint8_t fortran;
  uint8_t has_path;    /* it has been found before the call */
  uint8_t in_progress; /* the thread's struct sw_progress is about this call */
  uint8_t scratch;     /* holds the process-wide scratch arrays */
  uint8_t slow;        /* recording takes long: see away_ticks */
  uint64_t slow_begin;
  int requests;      /* handles captured before the call, -1 when there were too many */
  uint64_t *handles; /* inline_handles or the scratch array */
  uint64_t inline_handles[SW_INLINE_REQUESTS];
  uint64_t own_status[SW_STATUS_WORDS * SW_INLINE_REQUESTS];
};

/* The latest blocking message of a thread. */
struct sw_latest {
  struct sw_event *event;
  uint64_t number, begin; /* of that event */
  uint32_t path;
  int32_t peer, tag;
  uint64_t count; /* of events once it was recorded: others have followed when it has changed since */
  uint64_t alike; /* messages like it without another event in between, itself included */
};

struct sw_thread {
  const char *cfa;        /* stack position of the outermost MPI call in progress, null outside MPI */
  uint64_t pc;            /* its return address */
  const char *stack_high; /* highest stack address that an unwind of this thread has shown */
  uint64_t away_ticks;    /* not spent by the program: in MPI calls and in slow parts of this library */
  uint32_t walks;
  uint16_t number;
  uint16_t numbered;
  uint32_t effects;       /* SW_EV_OTHER_IO and SW_EV_PRINT, since the latest event */
  uint32_t timer_path;    /* of the latest event of this thread if that was a timer, else SW_NO_PATH */
  uint64_t timer_event;   /* how many events there were then */
  uint64_t events;        /* of this thread, counted under MPI_THREAD_SERIALIZED only, as the next */
  uint64_t latest_number; /* of its latest event */
  struct sw_event *next_event;
  uint64_t next_number, end_number; /* that it may give to its events */
  uint64_t refresh_mask;
  struct sw_progress *progress; /* null until the thread has a number of its own */
  struct sw_latest latest;
};

extern __thread struct sw_thread sw_thread SW_INITIAL_EXEC __attribute__((visibility("hidden")));
#pragma GCC visibility push(hidden)
extern int sw_active;     /* 1 between MPI_Init and MPI_Finalize when this process records */
extern int sw_have_ticks; /* 1 if the processor's counter runs at a constant rate */
extern const unsigned sw_call_total;
extern const struct sw_call_info sw_call_info[];
extern void (*sw_next[])(void);
void (*sw_resolve(unsigned slot))(void);
uint64_t sw_monotonic_ns(void);

static inline uint64_t sw_ticks(void) {
#if defined(__x86_64__)
  if (__builtin_expect(sw_have_ticks, 1))
    return __rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#endif
  return sw_monotonic_ns();
}

/* The next definition of the call behind this library: the MPI's, or that of another tool. */
static inline void (*sw_next_call(unsigned slot))(void) {
  void (*next)(void) = __atomic_load_n(&sw_next[slot], __ATOMIC_RELAXED);
  return SW_UNLIKELY(!next) ? sw_resolve(slot) : next;
}

/* True while the outermost call of the thread is still on the stack; an error handler can leave it by longjmp or by an
 * exception, and then its return address is gone sooner or later. */
static inline int sw_in_progress(const struct sw_thread *thread) {
#if defined(__x86_64__)
  uint64_t pc;
  __builtin_memcpy(&pc, thread->cfa - sizeof pc, sizeof pc);
  return pc == thread->pc;
#else
  return thread->cfa != NULL;
#endif
}

/* True for an outermost call: a nested one runs deeper on the stack than the one in progress. `begin` is left to
 * sw_before_call, which comes last before the call. */
static inline int sw_enter_outermost(struct sw_call *call, unsigned index, int fortran, struct sw_site here) {
  struct sw_thread *thread = &sw_thread;
  if (thread->cfa && here.cfa < thread->cfa && sw_in_progress(thread))
    return 0;
  thread->pc = here.pc;
  thread->cfa = here.cfa;
  call->thread = thread;
  call->site = here;
  call->index = (uint16_t)index;
  call->fortran = (uint8_t)fortran;
  call->scratch = 0;
  call->slow = 0;
  call->has_path = 0;
  call->in_progress = 0;
  call->comm = NULL;
  return 1;
}

static inline int sw_enter_lifecycle(struct sw_call *call, unsigned index, int fortran, struct sw_site here) {
  int outermost = sw_enter_outermost(call, index, fortran, here);
  call->begin = sw_ticks();
  return outermost;
}

static inline int sw_enter(struct sw_call *call, unsigned index, int fortran, struct sw_site here) {
  return __atomic_load_n(&sw_active, __ATOMIC_RELAXED) && sw_enter_outermost(call, index, fortran, here);
}

static inline int sw_descriptor(int binding) {
  return binding == SW_BINDING_F08TS || binding == SW_BINDING_F08TS_LARGE;
}

/* Address of a choice buffer; TS 29113 bindings pass a descriptor, whose first member it is. */
static inline const void *sw_choice(int binding, const void *argument) {
  return sw_descriptor(binding) ? *(const void *const *)argument : argument;
}

/* Fortran 2018's C descriptor, as far as gfortran and flang agree on it. */
struct sw_cfi {
  char *base;
  uint64_t element_bytes;
  int32_t version;
  int8_t rank;
  int8_t others[3];
  struct {
    int64_t lower_bound, extent, stride_bytes;
  } dimension[15];
};

/* True unless the elements that an argument describes follow one another without gaps. */
static inline int sw_section(int binding, const void *argument) {
  const struct sw_cfi *array = (const struct sw_cfi *)argument;
  if (!sw_descriptor(binding))
    return 0;
  if (array->version <= 0 || array->rank < 0 || array->rank > 15)
    return 1;
  int64_t dense = (int64_t)array->element_bytes;
  for (int i = 0; i < array->rank; ++i) {
    if (array->dimension[i].stride_bytes != dense)
      return 1;
    dense *= array->dimension[i].extent; /* -1 of an assumed size comes last */
  }
  return 0;
}

static inline int sw_int(const void *pointer) { return pointer ? *(const int *)pointer : -1; }

/* Notes what the thread is at, and begins its time. `roles`: of the arguments, SW_AT_*. */
enum sw_at { SW_AT_COMM = 1, SW_AT_PEER = 2, SW_AT_ROOT = 4, SW_AT_TAG = 8 };
void sw_before_call(struct sw_call *call, const struct sw_op *args, unsigned roles);

enum sw_how_many { SW_ONE, SW_MANY };
void sw_before_status(struct sw_call *call, struct sw_op *args);
void sw_before_message(struct sw_call *call, struct sw_op *args, int with_status);
void sw_before_wait(struct sw_call *call, struct sw_op *args, enum sw_how_many requests, enum sw_how_many statuses);
void sw_before_start(struct sw_call *call, struct sw_op *args, enum sw_how_many requests);
void sw_before_free(struct sw_call *call, struct sw_op *args, const void *pointer, enum sw_handle_kind kind);

#define SW_RECORDER(kind) void sw_record_##kind(struct sw_call *call, struct sw_op *args, int rc)
SW_RECORDER(send);
SW_RECORDER(send_start);
SW_RECORDER(send_init);
SW_RECORDER(recv);
SW_RECORDER(recv_start);
SW_RECORDER(recv_init);
SW_RECORDER(sendrecv);
SW_RECORDER(sendrecv_replace);
SW_RECORDER(isendrecv);
SW_RECORDER(isendrecv_replace);
SW_RECORDER(psend_init);
SW_RECORDER(precv_init);
SW_RECORDER(pready);
SW_RECORDER(pready_range);
SW_RECORDER(pready_list);
SW_RECORDER(probe);
SW_RECORDER(mprobe);
SW_RECORDER(mrecv);
SW_RECORDER(mrecv_start);
SW_RECORDER(start);
SW_RECORDER(startall);
SW_RECORDER(wait);
SW_RECORDER(waitall);
SW_RECORDER(waitany);
SW_RECORDER(waitsome);
SW_RECORDER(request_free);
SW_RECORDER(collective);
SW_RECORDER(collective_start);
SW_RECORDER(collective_init);
SW_RECORDER(comm_create);
SW_RECORDER(comm_create_start);
SW_RECORDER(comm_free);
SW_RECORDER(win_create);
SW_RECORDER(win_free);
SW_RECORDER(file_open);
SW_RECORDER(file_close);
SW_RECORDER(type_free);
SW_RECORDER(rma);
SW_RECORDER(rma_start);
SW_RECORDER(io);
SW_RECORDER(io_start);
SW_RECORDER(plain);
SW_RECORDER(poll);
void sw_record_timer(struct sw_call *call);
void sw_init_leave(struct sw_call *call, int rc, int provided);
void sw_finalize_enter(struct sw_call *call);
void sw_finalize_leave(struct sw_call *call, int rc);
void sw_abort_enter(struct sw_call *call, int code);
void sw_session_leave(struct sw_call *call, int rc);
#pragma GCC visibility pop

#endif
