/* Phases that the program marks, by runtime/phases/stridewise.h: it looks this library's function up by its name, so
 * the library is preloaded even where the OpenMP library would load it by itself.
 *
 * A phase belongs to the process: threads are in it together. The table lies in the shard, once there is one; what was
 * marked before moves there. A process that opens no region leaves nothing.
 */
#define _GNU_SOURCE
#include "recorder.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

uint32_t swo_phase;

static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static struct swo_phase early[SWO_PHASES];
static uint64_t early_used;
static struct swo_phase *phases = early;
static uint64_t *used = &early_used;

static uint32_t find_phase(const char *name) {
  for (uint32_t i = 0; i < *used; ++i)
    if (!strncmp(phases[i].name, name, sizeof phases[i].name - 1))
      return i + 1;
  if (*used == SWO_PHASES)
    return SWO_PHASES;
  snprintf(phases[*used].name, sizeof phases->name, "%s", *used == SWO_PHASES - 1 ? "other phases" : name);
  return (uint32_t)++*used;
}

/* The lock is held. */
static void go_to(uint32_t next) {
  uint64_t now = swo_ticks();
  if (swo_phase == next)
    return;
  if (swo_phase) {
    struct swo_phase *old = &phases[swo_phase - 1];
    old->ticks += now - old->begin;
    old->begin = 0;
  }
  if (next) {
    phases[next - 1].begin = now;
    phases[next - 1].count++;
  }
  __atomic_store_n(&swo_phase, next, __ATOMIC_RELAXED);
}

/* A recorder of MPI in the same process learns of it as well. */
static void pass_on(const char *name) {
  void (*next)(const char *);
  *(void **)(&next) = dlsym(RTLD_NEXT, "stridewise_phase_begin");
  if (next)
    next(name);
}

__attribute__((visibility("default"))) void stridewise_phase_begin(const char *name);
void stridewise_phase_begin(const char *name) {
  swo_choose_clock(); /* the OpenMP library may not have begun yet */
  pthread_mutex_lock(&changing);
  go_to(name && *name ? find_phase(name) : 0);
  pthread_mutex_unlock(&changing);
  pass_on(name);
}

void swo_phases_move(struct swo_phase *table, struct swo_section *section) {
  pthread_mutex_lock(&changing);
  memcpy(table, phases, *used * sizeof *phases);
  section->used = *used;
  phases = table;
  used = &section->used;
  pthread_mutex_unlock(&changing);
}

/* The table in the shard is the parent's. The child goes on in the phase that it was made in. */
void swo_phases_forget(void) {
  static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  char name[sizeof phases->name] = "";
  if (swo_phase)
    memcpy(name, phases[swo_phase - 1].name, sizeof name);
  memcpy(&changing, &fresh, sizeof changing);
  memset(early, 0, sizeof early);
  phases = early;
  used = &early_used;
  early_used = swo_phase = 0;
  if (*name)
    go_to(find_phase(name));
}

/* Several threads may open teams at the same time. */
void swo_phase_region(uint32_t number, uint64_t inside, uint64_t overhead, uint64_t working) {
  if (!number)
    return;
  struct swo_phase *phase = &phases[number - 1];
  __atomic_fetch_add(&phase->regions, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&phase->inside, inside, __ATOMIC_RELAXED);
  __atomic_fetch_add(&phase->overhead, overhead, __ATOMIC_RELAXED);
  __atomic_fetch_add(&phase->working, working, __ATOMIC_RELAXED);
}
