/* What the program does outside MPI that others may notice: it sleeps, it writes, or it takes memory.
 *
 * The functions of the C library are defined here in front of the library's own, so they are called in every process
 * that the launcher starts, and by this library itself. Until MPI_Init and after MPI_Finalize they only pass on, and so
 * they do inside MPI and in threads that never call MPI (an MPI's own, a logger's): what those do keeps nobody waiting.
 * Stdio writes by internal calls that nothing can see, so that it is watched where the program calls it; the run-time
 * libraries of Fortran and C++ call write and writev.
 *
 * write, writev, pwrite and fsync may be called by signal handlers: there nothing waits for a lock, allocates or
 * unwinds.
 */
#define _GNU_SOURCE
#include "recorder.h"
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/select.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
__asm__(".symver dlsym,dlsym@GLIBC_2.2.5");
#elif defined(__aarch64__)
__asm__(".symver dlsym,dlsym@GLIBC_2.17");
#endif
#pragma weak dlsym

int sw_effects;

/* Below this a stdio write that has room in the buffer takes no time: only that it was is kept. */
#define SW_SMALL_WRITE 1024u

enum function {
  FN_SLEEP,
  FN_USLEEP,
  FN_NANOSLEEP,
  FN_CLOCK_NANOSLEEP,
  FN_SELECT,
  FN_POLL,
  FN_WRITE,
  FN_WRITEV,
  FN_PWRITE,
  FN_PWRITE64,
  FN_FSYNC,
  FN_FDATASYNC,
  FN_FWRITE,
  FN_FFLUSH,
  FN_FCLOSE,
  FUNCTIONS
};

static void (*next_functions[FUNCTIONS])(void);

static __attribute__((noinline)) void resolve(enum function function) {
  static const char *const names[FUNCTIONS] = {"sleep", "usleep",    "nanosleep", "clock_nanosleep", "select",
                                               "poll",  "write",     "writev",    "pwrite",          "pwrite64",
                                               "fsync", "fdatasync", "fwrite",    "fflush",          "fclose"};
  void *found = dlsym ? dlsym(RTLD_NEXT, names[function]) : NULL;
  void (*next)(void) = NULL;
  memcpy(&next, &found, sizeof next);
  __atomic_store_n(&next_functions[function], next, __ATOMIC_RELAXED);
}

/* Early, so that no signal handler comes to look anything up. */
__attribute__((constructor)) static void resolve_functions(void) {
  int error = errno;
  for (int i = 0; i < FUNCTIONS; ++i)
    resolve((enum function)i);
  errno = error;
}

/* The definition behind this one; a process without any has no C library that could be called. */
static inline void (*next_of(enum function function))(void) {
  if (SW_UNLIKELY(!__atomic_load_n(&next_functions[function], __ATOMIC_RELAXED)))
    resolve(function);
  return __atomic_load_n(&next_functions[function], __ATOMIC_RELAXED);
}

#define NEXT(function, name) ((__typeof__(&name))next_of(function))

/* Whether what this thread does now is to be recorded. */
static inline int enter(struct sw_call *call, uint16_t what, struct sw_site here) {
  struct sw_thread *thread = &sw_thread;
  if (__builtin_expect(!__atomic_load_n(&sw_active, __ATOMIC_RELAXED), 1) || !sw_effects || !thread->numbered ||
      thread->cfa || (sw_effects == 1 && thread->number))
    return 0;
  thread->cfa = here.cfa;
  thread->pc = here.pc;
  call->thread = thread;
  call->site = here;
  call->index = what;
  call->fortran = 0;
  call->slow = 0;
  call->begin = sw_ticks();
  return 1;
}

static __attribute__((noinline)) void leave(struct sw_call *call, uint64_t bytes, int careful) {
  int error = errno;
  call->end = sw_ticks();
  sw_record_effect(call, bytes, careful);
  call->thread->cfa = NULL;
  errno = error;
}

/* --- Sleep ---------------------------------------------------------------------------------------------------------
 */

SW_EXPORT unsigned sleep(unsigned seconds) {
  struct sw_call call;
  int watched = enter(&call, SW_CALL_SLEEP, SW_HERE);
  unsigned result = NEXT(FN_SLEEP, sleep)(seconds);
  if (watched)
    leave(&call, 0, 0);
  return result;
}

SW_EXPORT int usleep(useconds_t microseconds) {
  struct sw_call call;
  int watched = enter(&call, SW_CALL_SLEEP, SW_HERE);
  int result = NEXT(FN_USLEEP, usleep)(microseconds);
  if (watched)
    leave(&call, 0, 0);
  return result;
}

SW_EXPORT int nanosleep(const struct timespec *wanted, struct timespec *left) {
  struct sw_call call;
  int watched = enter(&call, SW_CALL_SLEEP, SW_HERE);
  int result = NEXT(FN_NANOSLEEP, nanosleep)(wanted, left);
  if (watched)
    leave(&call, 0, 0);
  return result;
}

SW_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left) {
  struct sw_call call;
  int watched = enter(&call, SW_CALL_SLEEP, SW_HERE);
  int result = NEXT(FN_CLOCK_NANOSLEEP, clock_nanosleep)(clock, flags, wanted, left);
  if (watched)
    leave(&call, 0, 0);
  return result;
}

/* Without a descriptor these wait for the time alone. */
SW_EXPORT int select(int count, fd_set *readable, fd_set *writable, fd_set *others, struct timeval *limit) {
  struct sw_call call;
  int watched = (!count || (!readable && !writable && !others)) && enter(&call, SW_CALL_SLEEP, SW_HERE);
  int result = NEXT(FN_SELECT, select)(count, readable, writable, others, limit);
  if (watched)
    leave(&call, 0, 0);
  return result;
}

SW_EXPORT int poll(struct pollfd *descriptors, nfds_t count, int limit) {
  struct sw_call call;
  int watched = !count && enter(&call, SW_CALL_SLEEP, SW_HERE);
  int result = NEXT(FN_POLL, poll)(descriptors, count, limit);
  if (watched)
    leave(&call, 0, 0);
  return result;
}

/* --- Output --------------------------------------------------------------------------------------------------------
 */

static inline uint16_t output_to(int descriptor) {
  return descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO ? SW_CALL_PRINT : SW_CALL_WRITE;
}

static inline uint64_t written(ssize_t result) { return result > 0 ? (uint64_t)result : 0; }

SW_EXPORT ssize_t write(int descriptor, const void *data, size_t bytes) {
  struct sw_call call;
  int watched = enter(&call, output_to(descriptor), SW_HERE);
  ssize_t result = NEXT(FN_WRITE, write)(descriptor, data, bytes);
  if (watched)
    leave(&call, written(result), 1);
  return result;
}

SW_EXPORT ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  struct sw_call call;
  int watched = enter(&call, output_to(descriptor), SW_HERE);
  ssize_t result = NEXT(FN_WRITEV, writev)(descriptor, parts, count);
  if (watched)
    leave(&call, written(result), 1);
  return result;
}

SW_EXPORT ssize_t pwrite(int descriptor, const void *data, size_t bytes, off_t offset) {
  struct sw_call call;
  int watched = enter(&call, output_to(descriptor), SW_HERE);
  ssize_t result = NEXT(FN_PWRITE, pwrite)(descriptor, data, bytes, offset);
  if (watched)
    leave(&call, written(result), 1);
  return result;
}

SW_EXPORT ssize_t pwrite64(int descriptor, const void *data, size_t bytes, off64_t offset) {
  struct sw_call call;
  int watched = enter(&call, output_to(descriptor), SW_HERE);
  ssize_t result = NEXT(FN_PWRITE64, pwrite64)(descriptor, data, bytes, offset);
  if (watched)
    leave(&call, written(result), 1);
  return result;
}

SW_EXPORT int fsync(int descriptor) {
  struct sw_call call;
  int watched = enter(&call, output_to(descriptor), SW_HERE);
  int result = NEXT(FN_FSYNC, fsync)(descriptor);
  if (watched)
    leave(&call, 0, 1);
  return result;
}

SW_EXPORT int fdatasync(int descriptor) {
  struct sw_call call;
  int watched = enter(&call, output_to(descriptor), SW_HERE);
  int result = NEXT(FN_FDATASYNC, fdatasync)(descriptor);
  if (watched)
    leave(&call, 0, 1);
  return result;
}

/* Whether a stream leads out of the process: one into memory has no descriptor. */
static inline int leads_out(FILE *stream, int *descriptor) {
  int error = errno;
  *descriptor = fileno(stream);
  errno = error;
  return *descriptor >= 0;
}

/* Bytes are those that leave the buffer, so that none counts twice. */
SW_EXPORT size_t fwrite(const void *data, size_t size, size_t count, FILE *stream) {
  struct sw_call call;
  int descriptor, watched = 0;
  size_t before = 0;
  if (SW_UNLIKELY(__atomic_load_n(&sw_active, __ATOMIC_RELAXED)) && sw_effects && sw_thread.numbered &&
      !sw_thread.cfa && leads_out(stream, &descriptor)) {
    before = __fpending(stream);
    if (size * count < SW_SMALL_WRITE && before + size * count <= __fbufsize(stream))
      sw_thread.effects |= output_to(descriptor) == SW_CALL_PRINT ? SW_EV_PRINT : SW_EV_OTHER_IO;
    else
      watched = enter(&call, output_to(descriptor), SW_HERE);
  }
  size_t result = NEXT(FN_FWRITE, fwrite)(data, size, count, stream);
  if (watched) {
    size_t all = before + size * result, left = __fpending(stream);
    leave(&call, all > left ? all - left : 0, 0);
  }
  return result;
}

/* What is left in the buffer of a stream; 0 of one that is read. */
static inline size_t pending(FILE *stream, int *descriptor) {
  if (__builtin_expect(!__atomic_load_n(&sw_active, __ATOMIC_RELAXED), 1) || !stream || !leads_out(stream, descriptor))
    return 0;
  return __fpending(stream);
}

SW_EXPORT int fflush(FILE *stream) {
  struct sw_call call;
  int descriptor;
  size_t bytes = pending(stream, &descriptor);
  int watched = bytes && enter(&call, output_to(descriptor), SW_HERE);
  int result = NEXT(FN_FFLUSH, fflush)(stream);
  if (watched)
    leave(&call, bytes, 0);
  return result;
}

SW_EXPORT int fclose(FILE *stream) {
  struct sw_call call;
  int descriptor;
  size_t bytes = pending(stream, &descriptor);
  int watched = bytes && enter(&call, output_to(descriptor), SW_HERE);
  int result = NEXT(FN_FCLOSE, fclose)(stream);
  if (watched)
    leave(&call, bytes, 0);
  return result;
}

/* --- Memory --------------------------------------------------------------------------------------------------------
 */

/* Tables that are half full are for calls of MPI alone: what finds no room is said to be lost. */
static int room_for_allocations(void) {
  return __atomic_load_n(&sw_shard.table_section->used, __ATOMIC_RELAXED) < SW_TABLE_SLOTS / 2 &&
         __atomic_load_n(&sw_shard.path_section->used, __ATOMIC_RELAXED) < SW_PATHS / 2;
}

/* Called by libstridewise_memory.so after an allocation, for its caller. */
SW_EXPORT void stridewise_allocated(uint64_t bytes, uint64_t pc, const void *cfa);
SW_EXPORT void stridewise_allocated(uint64_t bytes, uint64_t pc, const void *cfa) {
  struct sw_call call;
  if (!enter(&call, SW_CALL_ALLOCATE, (struct sw_site){pc, cfa}))
    return;
  if (room_for_allocations())
    leave(&call, bytes, 0);
  else {
    sw_count(&sw_shard.header->dropped_calls);
    call.thread->cfa = NULL;
  }
}
