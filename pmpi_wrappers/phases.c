/* Phases that the program marks, by runtime/phases/stridewise.h or by MPI_Pcontrol.
 *
 * A phase is a part of the key of a call path, so that everything that is told by path is told by phase. It belongs to
 * the process: threads are in it together. Of MPI_Pcontrol each level is a phase of its own, but 2, which asks to write
 * buffers out, and negative ones, which end the phase. Some profilers take a name after the level (1, "name" begins,
 * -1, "name" ends). Whether a caller has passed one cannot be told, so that a name counts only where both calls have
 * the same one.
 */
#define _GNU_SOURCE
#include "recorder.h"
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

uint32_t sw_phase;
static char waiting[sizeof((struct sw_phase *)0)->name]; /* begun before MPI_Init */
static int is_waiting;

static uint32_t find_phase(const char *name, uint32_t flags) {
  uint64_t used = sw_shard.phase_section->used;
  for (uint32_t i = 0; i < used; ++i)
    if (!strncmp(sw_shard.phases[i].name, name, sizeof sw_shard.phases[i].name - 1) &&
        (sw_shard.phases[i].flags & SW_PHASE_GUESSED) == (flags & SW_PHASE_GUESSED))
      return i + 1;
  if (used == SW_PHASES) /* the last one stands for all further ones */
    return SW_PHASES;
  struct sw_phase *phase = &sw_shard.phases[used];
  snprintf(phase->name, sizeof phase->name, "%s", used == SW_PHASES - 1 ? "other phases" : name);
  phase->flags = flags;
  sw_shard.phase_section->used = used + 1;
  return (uint32_t)used + 1;
}

/* The lock is held. */
static void go_to(uint32_t next) {
  uint64_t now = sw_ticks();
  if (sw_phase == next)
    return;
  if (sw_phase) {
    struct sw_phase *old = &sw_shard.phases[sw_phase - 1];
    old->ticks += now - old->begin_ticks;
    old->begin_ticks = 0;
  }
  if (next) {
    struct sw_phase *phase = &sw_shard.phases[next - 1];
    phase->begin_ticks = now;
    ++phase->count;
  }
  __atomic_store_n(&sw_phase, next, __ATOMIC_RELAXED);
}

static void begin_phase(const char *name, uint32_t flags) {
  sw_lock();
  go_to(name && *name ? find_phase(name, flags) : 0);
  sw_unlock();
}

/* A recorder of OpenMP in the same process learns of it as well. */
static void pass_on(const char *name) {
  void *found = sw_find_symbol("stridewise_phase_begin");
  if (found) {
    void (*next)(const char *);
    memcpy(&next, &found, sizeof next);
    next(name);
  }
}

SW_EXPORT void stridewise_phase_begin(const char *name);
SW_EXPORT void stridewise_phase_begin(const char *name) {
  if (__atomic_load_n(&sw_active, __ATOMIC_RELAXED))
    begin_phase(name, 0);
  else if (!sw_shard.header) {
    is_waiting = name && *name;
    snprintf(waiting, sizeof waiting, "%s", is_waiting ? name : "");
  }
  pass_on(name);
}

void sw_phases_init(void) {
  sw_phase = 0;
  if (is_waiting)
    begin_phase(waiting, 0);
  is_waiting = 0;
}

/* The text at an address that may be none; 0 if there is no name. */
static int read_name(const void *address, char *name, size_t size) {
  struct iovec here = {name, size - 1}, there = {(void *)(uintptr_t)address, size - 1};
  if ((uintptr_t)address < 4096)
    return 0;
  ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  if (got <= 0) { /* it may end at the end of a page */
    there.iov_len = here.iov_len = 4096 - ((uintptr_t)address & 4095);
    if (here.iov_len >= size)
      return 0;
    got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  }
  if (got <= 0)
    return 0;
  size_t length = strnlen(name, (size_t)got);
  if (!length || length == (size_t)got)
    return 0;
  for (size_t i = 0; i < length; ++i)
    if (name[i] < ' ' || name[i] > '~')
      return 0;
  return 1;
}

static void control(int level, const void *argument) {
  char name[sizeof((struct sw_phase *)0)->name] = "";
  int named = argument && (level == 1 || level == -1) && read_name(argument, name, sizeof name);
  if (level == 2 || !__atomic_load_n(&sw_active, __ATOMIC_RELAXED))
    return;
  if (level < 0) {
    struct sw_phase *now = sw_phase ? &sw_shard.phases[sw_phase - 1] : NULL;
    if (now && named && (now->flags & SW_PHASE_GUESSED) && !strcmp(now->name, name))
      now->flags |= SW_PHASE_SURE;
    begin_phase(NULL, 0);
    return;
  }
  if (!named)
    snprintf(name, sizeof name, "MPI_Pcontrol(%d)", level);
  begin_phase(name, named ? SW_PHASE_GUESSED : 0);
}

static __thread int inside SW_INITIAL_EXEC; /* one binding may be built on another */

/* The arguments that a caller may have passed in registers go on as they came. */
#define PASS_ON(name, level, first)                                                                                    \
  do {                                                                                                                 \
    if (!inside++)                                                                                                     \
      control(level, first);                                                                                           \
    void *found = sw_find_symbol(name);                                                                                \
    if (found) {                                                                                                       \
      __typeof__(result) (*next)(__typeof__(a), ...);                                                                  \
      memcpy(&next, &found, sizeof next);                                                                              \
      result = next(a, b, c, d, e, f);                                                                                 \
    }                                                                                                                  \
    --inside;                                                                                                          \
  } while (0)

/* By another name here, since mpi.h declares it with any number of arguments. */
SW_EXPORT int sw_pcontrol(int a, void *b, void *c, void *d, void *e, void *f) __asm__("MPI_Pcontrol");
SW_EXPORT int sw_pcontrol(int a, void *b, void *c, void *d, void *e, void *f) {
  int result = 0;
  PASS_ON("MPI_Pcontrol", a, b);
  return result;
}

#define FORTRAN(symbol)                                                                                                \
  SW_EXPORT void symbol(int *a, void *b, void *c, void *d, void *e, void *f);                                          \
  SW_EXPORT void symbol(int *a, void *b, void *c, void *d, void *e, void *f) {                                         \
    long result = 0;                                                                                                   \
    PASS_ON(#symbol, *a, NULL);                                                                                        \
    (void)result;                                                                                                      \
  }
FORTRAN(mpi_pcontrol_)
FORTRAN(mpi_pcontrol__)
FORTRAN(mpi_pcontrol_f08_)
