/* From MPI_Init to MPI_Finalize: finds the MPI behind this library, opens the shard, closes it, and talks to the user.
 */
#define _GNU_SOURCE
#include "../runtime/common/own_calls.h"
#include "recorder.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Both moved from libdl to libc in glibc 2.34. A weak reference to the old version binds on either side of that, and
 * lets a program load that has neither. */
#if defined(__x86_64__)
__asm__(".symver dlsym,dlsym@GLIBC_2.2.5");
__asm__(".symver dlopen,dlopen@GLIBC_2.2.5");
#elif defined(__aarch64__)
__asm__(".symver dlsym,dlsym@GLIBC_2.17");
__asm__(".symver dlopen,dlopen@GLIBC_2.17");
#endif
#pragma weak dlsym
#pragma weak dlopen

#ifdef OPEN_MPI
#define FLAVOUR SW_MPI_OPENMPI
#define FLAVOUR_NAME "Open MPI"
#else
#define FLAVOUR SW_MPI_MPICH
#define FLAVOUR_NAME "MPICH"
#endif

__thread struct sw_thread sw_thread SW_INITIAL_EXEC;
int sw_active;
int sw_have_ticks;
struct sw_pmpi sw_pmpi;
struct sw_predefined sw_predefined;
const void *sw_fortran_ignore[8];
const void *sw_fortran_in_place[8];
const void *sw_fortran_bottom[8];

static int started; /* MPI_Init was seen; the library starts once in a process */
static int reduced; /* this rank's shard lives on in a summary */
static int forked;  /* this process is the child of a watched one */
static int quiet;
static int stuck; /* a thread was recording when everything ended */
static int own_rank, own_size;
static struct sw_clock first_clock;

/* --- Looking up ----------------------------------------------------------------------------------------------------
 */

struct lookup {
  const char *name;
  void *found;
};

static int look_in_mpi(struct dl_phdr_info *info, size_t size, void *argument) {
  struct lookup *lookup = argument;
  const char *base = strrchr(info->dlpi_name, '/');
  (void)size;
  if (!base || strncmp(base, "/libmpi", 7))
    return 0;
  void *library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  lookup->found = library ? dlsym(library, lookup->name) : NULL;
  return lookup->found != NULL;
}

/* A symbol behind this library; an MPI that was loaded privately (a plug-in, an interpreter's module) is found, too. */
void *sw_find_symbol(const char *name) {
  if (!dlsym)
    return NULL;
  struct lookup lookup = {name, dlsym(RTLD_NEXT, name)};
  if (!lookup.found && dlopen)
    dl_iterate_phdr(look_in_mpi, &lookup);
  return lookup.found;
}

/* A data symbol: the program's own copy comes first. */
static void *find_data(const char *name) {
  void *found = dlsym ? dlsym(RTLD_DEFAULT, name) : NULL;
  return found ? found : sw_find_symbol(name);
}

/* The name of a call in one binding. */
static void name_slot(unsigned slot, char *name, size_t bytes) {
  static const char *const suffix[SW_BINDINGS] = {
      [SW_BINDING_C] = "",
      [SW_BINDING_F] = "_",
      [SW_BINDING_F2] = "__",
      [SW_BINDING_F08] = "_f08_",
      [SW_BINDING_F08TS] = "_f08ts_",
      [SW_BINDING_CPTR] = "_cptr_",
      [SW_BINDING_LARGE] = "_c",
      [SW_BINDING_F08_LARGE] = "_f08_large_",
      [SW_BINDING_F08TS_LARGE] = "_f08ts_large_",
  };
  unsigned binding = slot / sw_call_total;
  snprintf(name, bytes, "%s%s", sw_call_info[slot % sw_call_total].name, suffix[binding]);
  if (binding != SW_BINDING_C && binding != SW_BINDING_LARGE)
    for (char *p = name; *p; ++p)
      if (*p >= 'A' && *p <= 'Z')
        *p = (char)(*p - 'A' + 'a');
}

void (*sw_resolve(unsigned slot))(void) {
  char name[64];
  name_slot(slot, name, sizeof name);
  void *found = sw_find_symbol(name);
  if (!found) {
    dprintf(STDERR_FILENO, "stridewise: the program calls %s, but no loaded library defines it\n", name);
    abort();
  }
  void (*next)(void);
  memcpy(&next, &found, sizeof next);
  __atomic_store_n(&sw_next[slot], next, __ATOMIC_RELAXED);
  return next;
}

/* All functions, so that recording never searches. Those that this MPI does not have stay empty. */
static void resolve_all(void) {
  for (unsigned slot = 0; slot < SW_BINDINGS * sw_call_total; ++slot) {
    char name[64];
    name_slot(slot, name, sizeof name);
    void *found = sw_next[slot] ? NULL : dlsym(RTLD_NEXT, name);
    if (found)
      memcpy(&sw_next[slot], &found, sizeof found);
  }
}

static int find_pmpi(void) {
  int missing = 0;
  void *found;
#define FIND(name)                                                                                                     \
  found = sw_find_symbol("PMPI_" #name);                                                                               \
  memcpy(&sw_pmpi.name, &found, sizeof found);                                                                         \
  missing |= !found;
  SW_PMPI_LIST(FIND)
  SW_PMPI_FLAVOUR_LIST(FIND)
#undef FIND
#ifdef OPEN_MPI
#define DATA(member, symbol)                                                                                           \
  sw_predefined.member = find_data(symbol);                                                                            \
  missing |= !sw_predefined.member;
  DATA(comm_world, "ompi_mpi_comm_world")
  DATA(comm_self, "ompi_mpi_comm_self")
  DATA(comm_null, "ompi_mpi_comm_null")
  DATA(request_null, "ompi_request_null")
  DATA(message_null, "ompi_message_null")
  DATA(message_no_proc, "ompi_message_no_proc")
  DATA(type_int, "ompi_mpi_int")
  DATA(type_uint64, "ompi_mpi_uint64_t")
  DATA(type_byte, "ompi_mpi_byte")
  DATA(op_max, "ompi_mpi_op_max")
  DATA(op_sum, "ompi_mpi_op_sum")
  DATA(errors_return, "ompi_mpi_errors_return")
#undef DATA
#else
  sw_predefined = (struct sw_predefined){.comm_world = MPI_COMM_WORLD,
                                         .comm_self = MPI_COMM_SELF,
                                         .comm_null = MPI_COMM_NULL,
                                         .request_null = MPI_REQUEST_NULL,
                                         .message_null = MPI_MESSAGE_NULL,
                                         .message_no_proc = MPI_MESSAGE_NO_PROC,
                                         .type_int = MPI_INT,
                                         .type_uint64 = MPI_UINT64_T,
                                         .type_byte = MPI_BYTE,
                                         .op_max = MPI_MAX,
                                         .op_sum = MPI_SUM,
                                         .errors_return = MPI_ERRORS_RETURN};
#endif
  return missing;
}

/* Fortran marks MPI_STATUS_IGNORE, MPI_IN_PLACE and MPI_BOTTOM by addresses that only the Fortran part of the MPI
 * knows. */
static void find_fortran_marks(void) {
  static const struct {
    const char *name;
    const void **list;
    int pointer; /* the symbol holds the address */
  } marks[] = {
#ifdef OPEN_MPI
      {"mpi_fortran_status_ignore_", sw_fortran_ignore, 0},
      {"mpi_fortran_statuses_ignore_", sw_fortran_ignore, 0},
      {"mpi_fortran_in_place_", sw_fortran_in_place, 0},
      {"mpi_fortran_bottom_", sw_fortran_bottom, 0},
#else
      {"MPI_F_STATUS_IGNORE", sw_fortran_ignore, 1},
      {"MPI_F_STATUSES_IGNORE", sw_fortran_ignore, 1},
      {"MPIR_F08_MPI_STATUS_IGNORE_OBJ", sw_fortran_ignore, 0},
      {"MPIR_F08_MPI_STATUSES_IGNORE_OBJ", sw_fortran_ignore, 0},
      {"MPIR_F_MPI_IN_PLACE", sw_fortran_in_place, 1},
      {"MPIR_F08_MPI_IN_PLACE", sw_fortran_in_place, 0},
      {"MPIR_F_MPI_BOTTOM", sw_fortran_bottom, 1},
      {"MPIR_F08_MPI_BOTTOM", sw_fortran_bottom, 0},
#endif
  };
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; ++i) {
    const void *address = find_data(marks[i].name);
    if (address && marks[i].pointer)
      memcpy(&address, address, sizeof address);
    const void **end = marks[i].list;
    while (*end)
      ++end;
    if (address)
      *end = address;
  }
}

int sw_f08_first_index = 1;

/* The mpi_f08 module of MPICH 4.0 counts the requests that MPI_Waitany and its kin name from 0. One receive from nobody
 * tells. */
static void find_first_index(void) {
#ifndef OPEN_MPI
  unsigned slot = SW_BINDING_F08 * sw_call_total;
  while (slot < (SW_BINDING_F08 + 1) * sw_call_total && strcmp(sw_call_info[slot % sw_call_total].name, "MPI_Testany"))
    ++slot;
  void (*test)(const int *, MPI_Request *, int *, int *, MPI_Status *, int *);
  memcpy(&test, &sw_next[slot], sizeof test);
  MPI_Request both[2] = {sw_predefined.request_null, sw_predefined.request_null};
  MPI_Status status;
  int count = 2, index = 2, flag = 0, error = 0;
  if (test && sw_pmpi.Irecv(NULL, 0, sw_predefined.type_byte, MPI_PROC_NULL, 0, sw_predefined.comm_self, &both[1]) ==
                  MPI_SUCCESS) {
    test(&count, both, &index, &flag, &status, &error);
    if (flag && index == 1)
      sw_f08_first_index = 0;
  }
#endif
}

/* --- Which MPI -----------------------------------------------------------------------------------------------------
 */

static char library_version[8192];

static enum sw_flavour loaded_flavour(void) {
  if (find_data("ompi_mpi_comm_world"))
    return SW_MPI_OPENMPI;
  int length = 0;
  int (*version)(char *, int *);
  void *found = sw_find_symbol("PMPI_Get_library_version");
  memcpy(&version, &found, sizeof found);
  if (!version || version(library_version, &length))
    return SW_MPI_UNKNOWN;
  static const char *const mpich[] = {"MPICH", "MVAPICH", "Intel(R) MPI", "CRAY MPI", "ParaStation"};
  for (size_t i = 0; i < sizeof mpich / sizeof mpich[0]; ++i)
    if (strstr(library_version, mpich[i]))
      return SW_MPI_MPICH;
  return SW_MPI_UNKNOWN;
}

/* Rank as the launchers tell it, for the case that this library cannot speak with the MPI. */
static int launched_as_other_rank(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    const char *value = getenv(names[i]);
    if (value)
      return strcmp(value, "0") != 0;
  }
  return 0;
}

/* --- Clocks --------------------------------------------------------------------------------------------------------
 */

static int constant_ticks(void) {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
#else
  return 0;
#endif
}

/* Number of the running kernel, 0 if unknown: processes under one kernel share the monotonic clock. */
static uint64_t kernel_number(void) {
  char text[64] = "";
  int fd = sw_sys_open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC, 0);
  ssize_t got = fd < 0 ? 0 : sw_sys_read(fd, text, sizeof text - 1);
  if (fd >= 0)
    sw_sys_close(fd);
  if (got <= 0 && gethostname(text, sizeof text - 1))
    return 0;
  uint64_t hash = 1;
  for (const char *p = text; *p; ++p)
    hash = sw_mix(hash, (unsigned char)*p);
  return hash;
}

#define CLOCK_ROUNDS 16
#define CLOCK_TAG 32766

/* Rank 0 answers with its clock; the round trip that took least time bounds the error by half of it. */
static void ask_clock(MPI_Comm comm, int64_t *offset, uint64_t *error) {
  *error = UINT64_MAX;
  for (int i = 0; i < CLOCK_ROUNDS; ++i) {
    uint64_t theirs = 0, before = sw_monotonic_ns();
    MPI_Status status;
    sw_pmpi.Send(&theirs, 1, sw_predefined.type_uint64, 0, CLOCK_TAG, comm);
    sw_pmpi.Recv(&theirs, 1, sw_predefined.type_uint64, 0, CLOCK_TAG, comm, &status);
    uint64_t after = sw_monotonic_ns();
    if ((after - before) / 2 < *error) {
      *error = (after - before) / 2;
      *offset = (int64_t)(theirs - (before + (after - before) / 2));
    }
  }
}

static void answer_clock(MPI_Comm comm, int rank) {
  for (int i = 0; i < CLOCK_ROUNDS; ++i) {
    uint64_t now;
    MPI_Status status;
    sw_pmpi.Recv(&now, 1, sw_predefined.type_uint64, rank, CLOCK_TAG, comm, &status);
    now = sw_monotonic_ns();
    sw_pmpi.Send(&now, 1, sw_predefined.type_uint64, rank, CLOCK_TAG, comm);
  }
}

/* Offset to rank 0's monotonic clock, measured once per kernel; nothing is sent where all ranks share one. */
static void compare_clocks(int64_t *offset, uint64_t *error) {
  MPI_Comm world = sw_predefined.comm_world, node, leaders;
  uint64_t mine = kernel_number(), first = mine;
  int differs, any = 0, node_rank = 0, leader_rank = 0, leader_count = 0;
  *offset = 0;
  *error = 0;
  sw_pmpi.Bcast(&first, 1, sw_predefined.type_uint64, 0, world);
  differs = mine != first || !mine;
  sw_pmpi.Allreduce(&differs, &any, 1, sw_predefined.type_int, sw_predefined.op_max, world);
  if (!any)
    return;
  /* Equal colours of different kernels would only make one leader serve both; 31 bits make that unlikely. */
  if (sw_pmpi.Comm_split(world, (int)(mine >> 33), own_rank, &node))
    return;
  sw_pmpi.Comm_rank(node, &node_rank);
  if (!sw_pmpi.Comm_split(world, node_rank ? 1 : 0, own_rank, &leaders)) {
    if (!node_rank) {
      sw_pmpi.Comm_rank(leaders, &leader_rank);
      sw_pmpi.Comm_size(leaders, &leader_count);
      if (leader_rank)
        ask_clock(leaders, offset, error);
      else
        for (int i = 1; i < leader_count; ++i)
          answer_clock(leaders, i);
    }
    sw_pmpi.Comm_free(&leaders);
  }
  uint64_t both[2] = {(uint64_t)*offset, *error};
  sw_pmpi.Bcast(both, 2, sw_predefined.type_uint64, 0, node);
  *offset = (int64_t)both[0];
  *error = both[1];
  sw_pmpi.Comm_free(&node);
}

/* --- Life ----------------------------------------------------------------------------------------------------------
 */

/* Payloads may lie in a device's memory on a node that has one: reading them there would end the program. */
static int payload_readable(void) {
  static const char *const devices[] = {"/dev/nvidiactl", "/dev/kfd", "/dev/dri/renderD128", "/dev/nvhost-ctrl"};
  const char *choice = getenv("STRIDEWISE_MPI_HASH");
  if (choice && *choice)
    return strcmp(choice, "0") != 0;
  for (size_t i = 0; i < sizeof devices / sizeof devices[0]; ++i)
    if (!sw_sys_access(devices[i], F_OK))
      return 0;
  return 1;
}

static int effects_wished(void) {
  const char *choice = getenv("STRIDEWISE_MPI_EFFECTS");
  return !choice || strcmp(choice, "0") != 0;
}

static uint64_t run_threshold(void) {
  const char *text = getenv("STRIDEWISE_MPI_RUN");
  char *end = NULL;
  unsigned long long wanted = text ? strtoull(text, &end, 10) : 0;
  if (!text || !*text || *end)
    return SW_DEFAULT_RUN;
  return wanted ? wanted : UINT64_MAX;
}

/* A fork's child is another program: it neither writes into its parent's shard nor speaks for it. */
static void in_child(void) {
  sw_active = 0;
  forked = 1;
  sw_lock_word = 0;
  sw_shard_forget();
}

/* On how many ranks the shard could not be opened. */
static int explain_failure(int error) {
  int failed = error != 0, total = 0, first = error ? own_size - own_rank : 0, highest = 0;
  sw_pmpi.Allreduce(&failed, &total, 1, sw_predefined.type_int, sw_predefined.op_sum, sw_predefined.comm_world);
  sw_pmpi.Allreduce(&first, &highest, 1, sw_predefined.type_int, sw_predefined.op_max, sw_predefined.comm_world);
  if (!error || first != highest)
    return total;
  const char *remedy = error == ENOSPC || error == EDQUOT
                           ? "free some space, or set STRIDEWISE_OUT to a folder on another disk"
                       : error == EFBIG ? "raise the limit of file sizes (ulimit -f)"
                                        : "set STRIDEWISE_OUT to a folder that every rank can write";
  dprintf(STDERR_FILENO, "stridewise: cannot write %s: %s (errno %d); %d of %d ranks run unmeasured; %s\n",
          sw_shard.path[0] ? sw_shard.path : sw_shard.folder, strerror(error), error, total, own_size, remedy);
  return total;
}

static uint64_t make_job_id(void) {
  struct sw_clock now;
  sw_read_clock(&now);
  uint64_t id = sw_mix(now.realtime_ns, (uint64_t)getpid() << 32 ^ kernel_number());
  return id ? id : 1;
}

static void start(int thread_level) {
  struct sw_clock clock;
  sw_have_ticks = constant_ticks();
  sw_read_clock(&first_clock);
  enum sw_flavour flavour = loaded_flavour();
  if (flavour != FLAVOUR || find_pmpi()) {
    const char *other = flavour == SW_MPI_OPENMPI ? "openmpi" : "mpich";
    if (launched_as_other_rank())
      return;
    if (flavour == SW_MPI_UNKNOWN || flavour == FLAVOUR)
      dprintf(STDERR_FILENO, "stridewise: nothing is measured: this library is for " FLAVOUR_NAME
                             ", and the program runs on an MPI that it does not know\n");
    else
      dprintf(STDERR_FILENO,
              "stridewise: nothing is measured: this library is for " FLAVOUR_NAME
              ", the program runs on %s; preload %s/libstridewise_mpi.so instead\n",
              flavour == SW_MPI_OPENMPI ? "Open MPI" : "MPICH", other);
    return;
  }
  uint64_t job[2] = {make_job_id(), 0}; /* what rank 0 says: the job's id, and the ranks of a group to be reduced */
  sw_pmpi.Comm_rank(sw_predefined.comm_world, &own_rank);
  sw_pmpi.Comm_size(sw_predefined.comm_world, &own_size);
  job[1] = (uint64_t)sw_reduce_wish(own_size);
  sw_pmpi.Bcast(job, 2, sw_predefined.type_uint64, 0, sw_predefined.comm_world);
  const char *wish = getenv("STRIDEWISE_QUIET");
  quiet = wish && *wish && strcmp(wish, "0") != 0;
  int error = sw_shard_open(own_rank, own_size, job[0]);
  if (!explain_failure(error) && job[1])
    sw_reduce_prepare((int64_t)job[1], own_rank, own_size);
  int64_t offset;
  uint64_t bound;
  compare_clocks(&offset, &bound);
  if (error)
    return;

  struct sw_header *header = sw_shard.header;
  header->clock_offset_ns = offset;
  header->clock_error_ns = bound;
  header->flavour = FLAVOUR;
  if (thread_level < 0)
    sw_pmpi.Query_thread(&thread_level);
  header->thread_level = (uint32_t)thread_level;
  /* Of serialised threads one may write to a file while another is in MPI. */
  sw_multiple = thread_level >= MPI_THREAD_SERIALIZED;
  sw_effects = !effects_wished() ? 0 : sw_multiple ? 2 : 1;
  sw_shard.thread_section->used = sw_multiple ? SW_THREADS + 1 : 0;
  int length = 0;
  int (*version)(char *, int *);
  void *found = sw_find_symbol("PMPI_Get_library_version");
  memcpy(&version, &found, sizeof found);
  if (version && !version(library_version, &length)) {
    size_t keep = strcspn(library_version, "\n");
    keep = keep < sizeof header->mpi_version - 1 ? keep : sizeof header->mpi_version - 1;
    for (size_t i = 0; i < keep; ++i)
      header->mpi_version[i] = library_version[i] == '\t' ? ' ' : library_version[i];
  }
  resolve_all();
  find_fortran_marks();
  find_first_index();
  sw_shard_scan_modules();
  sw_callpath_init(sw_find_symbol("PMPI_Init"));
  sw_record_reset();
  sw_tables_init(own_size);
  sw_phases_init();
  sw_hash_payload = payload_readable();
  sw_run_threshold = run_threshold();
  pthread_atfork(NULL, NULL, in_child);
  /* The tick's length is needed here only to tell a pause from a computation: a rough one will do. */
  do
    sw_read_clock(&clock);
  while (clock.monotonic_ns - first_clock.monotonic_ns < 100000);
  sw_burst_gap_ticks = (uint64_t)(SW_BURST_GAP_NS * (double)(clock.ticks - first_clock.ticks) /
                                  (double)(clock.monotonic_ns - first_clock.monotonic_ns));
  header->begin = clock;
  header->end = clock;
  header->state = SW_STATE_RUNNING;
  __atomic_store_n(&sw_active, 1, __ATOMIC_RELEASE);
  sw_fate_watch();
}

void sw_init_leave(struct sw_call *call, int rc, int provided) {
  if (rc == MPI_SUCCESS && !started && !forked) {
    started = 1;
    start(provided);
  }
  call->thread->cfa = NULL;
}

/* Whether this call ended the recording, and nobody is at it any more. A thread that does not come to an end keeps the
 * shard as it is, mapped: it may go on one day. */
static int end_recording(void) {
  if (!__atomic_exchange_n(&sw_active, 0, __ATOMIC_SEQ_CST))
    return 0;
  int quiet_now = sw_quiet();
  sw_shard_refresh_clock();
  stuck = !quiet_now;
  return quiet_now;
}

/* Of MPI_Finalize and MPI_Abort, whose wrappers give no arguments. */
static void begin_last_call(struct sw_call *call) {
  const struct sw_op none = {.binding = SW_BINDING_C};
  if (__atomic_load_n(&sw_active, __ATOMIC_RELAXED))
    sw_before_call(call, &none, 0);
}

void sw_finalize_enter(struct sw_call *call) {
  sw_fate_unwatch();
  begin_last_call(call);
  sw_record_finalize(call);
  if (!end_recording())
    return;
  sw_shard.header->state = SW_STATE_FINALIZING;
  sw_shard_scan_modules();
  sw_shard_add_up_threads();
  reduced = sw_reduce();
  if (!reduced)
    sw_shard_finish(SW_STATE_FINALIZING);
}

void sw_finalize_leave(struct sw_call *call, int rc) {
  if (sw_shard.header && !forked && !stuck) {
    int measured = sw_shard.header->state == SW_STATE_FINALIZING;
    if (reduced)
      sw_shard_remove();
    else
      sw_shard_close(rc == MPI_SUCCESS);
    if (measured && rc == MPI_SUCCESS && own_rank == 0 && !quiet)
      dprintf(STDERR_FILENO, "stridewise: the %s of %d rank%s are in %s/mpi; read them with: stridewise report %s\n",
              sw_summary_written ? "summaries" : "shards", own_size, own_size == 1 ? "" : "s", sw_shard.folder,
              sw_shard.folder);
  }
  call->thread->cfa = NULL;
}

/* The end of a process that has not called MPI_Finalize. */
static void leave_early(enum sw_fate_kind kind, int code) {
  if (forked || !__atomic_load_n(&sw_active, __ATOMIC_RELAXED))
    return;
  sw_fate_note(kind, code);
  if (!end_recording())
    return;
  sw_shard_refresh_usage();
  sw_shard_scan_modules();
  sw_shard_bring_home();
}

void sw_abort_enter(struct sw_call *call, int code) {
  begin_last_call(call);
  leave_early(SW_FATE_ABORT, code);
  call->thread->cfa = NULL;
}

/* Without MPI_Init there is no world whose ranks the shards could be numbered by. */
void sw_session_leave(struct sw_call *call, int rc) {
  if (rc == MPI_SUCCESS && !started && !forked && !launched_as_other_rank()) {
    started = 1;
    dprintf(STDERR_FILENO, "stridewise: nothing is measured: the program uses MPI sessions and never calls MPI_Init\n");
  }
  call->thread->cfa = NULL;
}

/* A program that ends without MPI_Finalize leaves a shard that says so, with its true end. */
__attribute__((destructor)) static void at_exit(void) { leave_early(SW_FATE_EXIT, 0); }
