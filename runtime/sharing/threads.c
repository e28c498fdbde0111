/* Threads that the program starts itself: by pthread_create, which std::thread and the like call, too.
 *
 * All that live at a time make one group, which is watched as a team is (sharing.h). It begins with the first thread
 * and ends when the thread that started them has joined the last; a program with pools has one group, of those that
 * start and join threads for each step the first are watched, then ever fewer. The thread that starts them is a member,
 * too.
 *
 * There are no barriers to tell the members' accesses apart, but what one did before it was joined comes before what a
 * thread does that was started afterwards: such pairs share nothing (meet_at_all in conflicts.c).
 *
 * Threads of OpenMP's and other libraries are no part of it: who starts one must be instrumented, or a library that
 * starts threads for the program.
 */
#include "sharing.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MODULES = 64 };

static struct {
  struct sw_team *team;
  struct sw_thread *starter;
  pthread_t ids[SW_TEAM_MAX];
  uint32_t members, alive; /* alive: started and not joined */
  bool open;               /* whether or not it is watched */
} group;
static pthread_mutex_t group_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_ullong moment; /* counts starts and joins */

/* --- Whose threads ------------------------------------------------------------------------------------------------ */

static void *_Atomic modules[MODULES]; /* instrumented */

static void *module_of(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Told by each instrumented object file (lines.c). */
void sw_remember_module(const void *address) {
  void *base = module_of(address);
  for (unsigned i = 0; base && i < MODULES; ++i) {
    void *expected = NULL;
    if (atomic_load(&modules[i]) == base || atomic_compare_exchange_strong(&modules[i], &expected, base) ||
        expected == base)
      return;
  }
}

static bool is_instrumented(const void *base) {
  for (unsigned i = 0; base && i < MODULES && atomic_load(&modules[i]); ++i)
    if (atomic_load(&modules[i]) == base)
      return true;
  return false;
}

static bool is_of_program(const void *caller) {
  static const char *const starters[] = {"libstdc++.", "libc++.", "libtbb", "libboost_thread"};
  Dl_info info;
  if (!dladdr(caller, &info))
    return false;
  if (is_instrumented(info.dli_fbase))
    return true;
  const char *name = info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
  name = name ? name + 1 : info.dli_fname;
  for (unsigned i = 0; name && i < sizeof(starters) / sizeof(*starters); ++i)
    if (!strncmp(name, starters[i], strlen(starters[i])))
      return true;
  return false;
}

/* The calls that start a thread, from the first one in an instrumented module outwards. */
static void callers_of(const void *caller, uint64_t callers[SW_STARTERS]) {
  void *all[SW_STARTERS + 12];
  int count = backtrace(all, SW_STARTERS + 12), at = 0;
  while (at < count && all[at] != caller)
    at++;
  while (at < count && !is_instrumented(module_of(all[at])))
    at++;
  memset(callers, 0, SW_STARTERS * sizeof(*callers));
  callers[0] = (uint64_t)(uintptr_t)caller;
  for (unsigned n = 0; at < count && n < SW_STARTERS; ++at, ++n)
    callers[n] = (uint64_t)(uintptr_t)all[at];
}

/* --- The group -----------------------------------------------------------------------------------------------------
 */

/* Ends the group. Called by the thread that started it, or when the process ends; with the lock. */
static void close_group(void) {
  struct sw_team *team = group.team;
  group.open = false;
  if (!team)
    return;
  for (uint32_t i = 0; i < SW_TEAM_MAX; ++i)
    if (team->members[i] && team->members[i]->context.team == team)
      sw_leave_team(team->members[i]);
  sw_close_team(team);
  group.team = NULL;
}

void sw_end_threads(void) {
  pthread_mutex_lock(&group_lock);
  if (group.open)
    close_group();
  pthread_mutex_unlock(&group_lock);
}

/* Opens one, if none is open. With the lock. */
static void open_group(const void *caller) {
  if (group.open && group.alive == 0 && group.starter == sw_self())
    close_group();
  if (group.open)
    return;
  uint64_t callers[SW_STARTERS];
  callers_of(caller, callers);
  group.open = true;
  group.members = 1;
  group.alive = 0;
  group.starter = sw_self();
  group.team = sw_open_team(callers);
  if (!group.team || !group.starter)
    return;
  group.team->threads = true;
  group.team->size = 1;
  group.team->started[0] = 0;
  group.team->joined[0] = UINT64_MAX;
  sw_join_team(group.starter, group.team, 0);
}

struct start {
  void *(*routine)(void *);
  void *argument;
  struct sw_team *team;
  uint32_t member;
};

static void leave(void *context) {
  const struct start *start = context;
  struct sw_thread *t = sw_self();
  pthread_mutex_lock(&group_lock);
  if (t && group.open && group.team == start->team && t->context.team == start->team) {
    sw_leave_team(t);
    start->team->members[start->member] = NULL;
    sw_forget_self();
  }
  pthread_mutex_unlock(&group_lock);
}

static void *run(void *context) {
  struct start start = *(struct start *)context;
  free(context);
  pthread_mutex_lock(&group_lock);
  struct sw_thread *t = group.open && group.team == start.team ? sw_self() : NULL;
  if (t)
    sw_join_team(t, start.team, start.member);
  pthread_mutex_unlock(&group_lock);
  void *result;
  pthread_cleanup_push(leave, &start);
  result = start.routine(start.argument);
  pthread_cleanup_pop(1);
  return result;
}

static uint32_t add_member(struct sw_team *team) {
  uint32_t member = team ? team->size : 0;
  if (!team || member >= SW_TEAM_MAX)
    return SW_TEAM_MAX;
  team->size = member + 1;
  team->started[member] = atomic_fetch_add(&moment, 1);
  team->joined[member] = UINT64_MAX;
  return member;
}

typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

SW_API int pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument) {
  static create *_Atomic next;
  if (SW_RARE(!next))
    next = (create *)dlsym(RTLD_NEXT, "pthread_create");
  const void *caller = __builtin_return_address(0);
  if (!sw_enabled() || !is_of_program(caller))
    return next(id, attributes, routine, argument);
  struct start *start = malloc(sizeof(*start));
  if (!start)
    return next(id, attributes, routine, argument);
  pthread_mutex_lock(&group_lock);
  open_group(caller);
  uint32_t member = add_member(group.team);
  bool watched = member < SW_TEAM_MAX;
  *start = (struct start){routine, argument, group.team, member};
  int status = watched ? next(id, attributes, run, start) : next(id, attributes, routine, argument);
  if (status == 0) {
    group.alive++;
    if (watched)
      group.ids[member] = *id;
  }
  pthread_mutex_unlock(&group_lock);
  if (!watched || status != 0)
    free(start);
  return status;
}

typedef int join(pthread_t, void **);

SW_API int pthread_join(pthread_t id, void **result) {
  static join *_Atomic next;
  if (SW_RARE(!next))
    next = (join *)dlsym(RTLD_NEXT, "pthread_join");
  int status = next(id, result);
  if (status != 0 || !sw_enabled() || !is_of_program(__builtin_return_address(0)))
    return status;
  pthread_mutex_lock(&group_lock);
  if (group.open) {
    group.alive -= group.alive > 0;
    for (uint32_t i = 1; group.team && i < group.team->size; ++i)
      if (group.team->joined[i] == UINT64_MAX && pthread_equal(group.ids[i], id)) {
        group.team->joined[i] = atomic_fetch_add(&moment, 1);
        break;
      }
    if (group.alive == 0 && group.starter == sw_self())
      close_group();
  }
  pthread_mutex_unlock(&group_lock);
  return status;
}
