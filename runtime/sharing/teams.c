/* Teams, their barriers and their logs, as OMPT tells of them. See sharing.h.
 *
 * A thread leaves what it saw at each barrier. Tasks that it runs while it waits there are still of the time before the
 * barrier: what they touch is left when the barrier has ended. At the end of a region the other threads learn of that
 * when they are needed again, or never: so the first thread empties their tables, which nobody uses any more by then.
 */
#include "sharing.h"
#include <omp-tools.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct sw_region sw_regions[SW_REGIONS];
struct sw_losses sw_lost;

static struct sw_team teams[SW_TEAMS];
static uint32_t serial; /* protected by teams_lock */
static atomic_flag teams_lock = ATOMIC_FLAG_INIT;
static bool enabled;

bool sw_enabled(void) { return enabled; }

/* Another thread may have held a lock when the child was made: it goes on without us. */
static void disable(void) { enabled = false; }

__attribute__((constructor)) static void enable(void) {
  /* Not where the program has rights that its user lacks: it writes where the variable says. */
  const char *out = secure_getenv("STRIDEWISE_SHARING_OUT");
  enabled = out && *out && pthread_atfork(NULL, NULL, disable) == 0;
  if (enabled)
    sw_read_lines();
}

static uint64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* --- The log ----------------------------------------------------------------------------------------------------- */

/* Lines that are used over and over are few, and each may matter. */
static bool kept(const struct sw_team *team, const struct sw_record *r) {
  return (sw_hash(r->line) & team->log_mask) == 0 || r->reuses >= 64;
}

static void thin_out(struct sw_team *team) {
  while (team->count > SW_LOG - SW_LOG / 4 && team->log_mask != ~UINT64_C(0) << 48) {
    team->log_mask = UINT64_C(1) << 63 | team->log_mask >> 1;
    uint32_t left = 0;
    for (uint32_t i = 0; i < team->count; ++i)
      if (kept(team, &team->log[i]))
        team->log[left++] = team->log[i];
    team->count = left;
  }
}

void sw_log(struct sw_team *team, const struct sw_record *r) {
  sw_lock(&team->lock);
  if (r->epoch > team->epoch) {
    /* Whoever has something of this epoch has passed the barrier before, which all had reached when they had left what
     * they saw before the one before that. */
    if (r->epoch >= 2)
      sw_settle(team, r->epoch - 2);
    team->epoch = r->epoch;
  }
  if (kept(team, r)) {
    if (team->count == SW_LOG)
      thin_out(team);
    if (team->count < SW_LOG)
      team->log[team->count++] = *r;
    else
      atomic_fetch_add(&sw_lost.records, 1);
  }
  sw_unlock(&team->lock);
}

/* Adds what the thread did in the epoch that ends. */
static void account(struct sw_thread *t) {
  struct sw_context *c = &t->context;
  uint64_t clock = t->state->clock, watched = c->windows;
  if (c->window_end)
    watched += clock - c->window_begin;
  sw_lock(&c->team->lock);
  c->team->progress[c->epoch & 3].accesses += clock;
  c->team->progress[c->epoch & 3].watched += watched;
  sw_unlock(&c->team->lock);
}

/* --- Regions ----------------------------------------------------------------------------------------------------- */

/* Index of the region that starts at pc, or SW_REGIONS. Called with teams_lock. */
static uint32_t region_at(uint64_t pc) {
  for (uint32_t n = 0; n < SW_REGIONS; ++n) {
    uint32_t i = (uint32_t)((sw_hash(pc) >> 32) + n) % SW_REGIONS;
    if (!sw_regions[i].pc)
      sw_regions[i].pc = pc;
    if (sw_regions[i].pc == pc)
      return i;
  }
  atomic_fetch_add(&sw_lost.regions, 1);
  return SW_REGIONS;
}

/* The first four executions, then ever fewer: at most four of each power of two. */
static bool is_watched(uint64_t execution) {
  uint64_t step = 1;
  while (execution >= 4 * step)
    step *= 2;
  return execution % step == 0;
}

static bool make_room(struct sw_team *team) {
  if (team->log)
    return true;
  size_t records = SW_LOG * sizeof(*team->log), order = SW_LOG * sizeof(*team->order);
  char *memory =
      mmap(NULL, records + order, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  team->log = (void *)memory;
  team->order = (void *)(memory + records);
  return true;
}

static struct sw_team *take_team(uint32_t region) {
  for (unsigned i = 0; i < SW_TEAMS; ++i) {
    struct sw_team *team = &teams[i];
    if (team->used || !make_room(team))
      continue;
    team->used = true;
    team->region = region;
    team->serial = ++serial;
    team->size = 0;
    team->threads = false;
    team->epoch = team->count = 0;
    team->log_mask = 0;
    memset(team->progress, 0, sizeof(team->progress));
    memset(team->members, 0, sizeof(team->members));
    team->start = nanoseconds();
    return team;
  }
  atomic_fetch_add(&sw_lost.teams, 1);
  return NULL;
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                              int flags, const void *pc) {
  (void)task, (void)frame, (void)flags;
  parallel->ptr = NULL;
  if (requested == 1 || !enabled)
    return;
  sw_lock(&teams_lock);
  uint32_t region = region_at((uint64_t)(uintptr_t)pc);
  if (region < SW_REGIONS && is_watched(sw_regions[region].executions++))
    parallel->ptr = take_team(region);
  sw_unlock(&teams_lock);
}

struct sw_team *sw_open_team(const uint64_t callers[SW_STARTERS]) {
  struct sw_team *team = NULL;
  sw_lock(&teams_lock);
  uint32_t region = region_at(callers[0]);
  if (region < SW_REGIONS) {
    sw_regions[region].by_threads = true;
    memcpy(sw_regions[region].callers, callers, sizeof(sw_regions[region].callers));
    if (is_watched(sw_regions[region].executions++))
      team = take_team(region);
  }
  sw_unlock(&teams_lock);
  return team;
}

void sw_close_team(struct sw_team *team) {
  sw_lock(&team->lock);
  sw_settle(team, UINT32_MAX);
  sw_unlock(&team->lock);
  sw_lock(&teams_lock);
  struct sw_region *region = &sw_regions[team->region];
  if (team->size && sw_limited() && !region->named) {
    ; /* not a region that was asked for */
  } else if (team->size) {
    region->watched++;
    region->threads += team->size;
    region->nanoseconds += nanoseconds() - team->start;
  } else {
    region->executions--; /* one thread only */
  }
  team->used = false;
  sw_unlock(&teams_lock);
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *pc) {
  (void)task, (void)flags, (void)pc;
  if (!parallel || !parallel->ptr)
    return;
  sw_close_team(parallel->ptr);
  parallel->ptr = NULL;
}

/* --- Threads ----------------------------------------------------------------------------------------------------- */

bool sw_join_team(struct sw_thread *t, struct sw_team *team, uint32_t member) {
  if (t->context.team) {
    sw_flush(t);
    if (t->depth == SW_DEPTH)
      return false;
    t->outer[t->depth].context = t->context;
    t->outer[t->depth].state = *t->state;
    t->depth++;
  }
  bool all = !sw_limited() || atomic_load_explicit(&sw_regions[team->region].named, memory_order_relaxed);
  t->context = (struct sw_context){.team = team, .member = member, .level = all ? SW_ALL : SW_NAMED};
  team->members[member] = t;
  sw_begin_epoch(t);
  return true;
}

/* Called by the thread itself, or by the first of the team for one that waits at the end of the region. */
void sw_leave_team(struct sw_thread *t) {
  sw_flush(t);
  account(t);
  if (t->depth) {
    t->depth--;
    t->context = t->outer[t->depth].context;
    *t->state = t->outer[t->depth].state;
  } else {
    t->context.team = NULL;
    sw_stop(t);
  }
}

/* What the runtime keeps for us with an implicit task is the team that the thread watches it for. */
static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned size,
                             unsigned index, int flags) {
  if (endpoint != ompt_scope_begin || !task)
    return;
  task->ptr = NULL;
  struct sw_team *team = parallel ? parallel->ptr : NULL;
  if (!team || (flags & ompt_task_initial) || size < 2 || size > SW_TEAM_MAX || index >= size)
    return;
  struct sw_thread *t = sw_self();
  if (!t || !sw_join_team(t, team, index))
    return;
  if (index == 0)
    team->size = size;
  task->ptr = team;
}

static bool is_barrier(ompt_sync_region_t kind) {
  switch (kind) {
  case ompt_sync_region_barrier:
  case ompt_sync_region_barrier_implicit:
  case ompt_sync_region_barrier_explicit:
  case ompt_sync_region_barrier_implementation:
  case ompt_sync_region_barrier_implicit_workshare:
  case ompt_sync_region_barrier_implicit_parallel:
    return true;
  default:
    return false;
  }
}

static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                           ompt_data_t *task, const void *pc) {
  (void)parallel, (void)pc;
  struct sw_thread *t;
  struct sw_team *team = task ? task->ptr : NULL;
  if (!team || !is_barrier(kind) || !(t = sw_self()) || t->context.team != team)
    return;
  sw_flush(t);
  if (endpoint == ompt_scope_begin)
    return;
  if (kind == ompt_sync_region_barrier_implicit_parallel) {
    if (t->context.member == 0)
      for (uint32_t i = team->size; i-- > 0;)
        if (team->members[i] && team->members[i]->context.team == team)
          sw_leave_team(team->members[i]);
    return;
  }
  account(t);
  t->context.epoch++;
  sw_begin_epoch(t);
}

/* --- The tool ---------------------------------------------------------------------------------------------------- */

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (!set)
    return 0;
  set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
  set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
  set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task);
  set(ompt_callback_sync_region, (ompt_callback_t)on_sync_region);
  return 1;
}

static void finalize(ompt_data_t *data) { (void)data; }

SW_API ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t tool = {initialize, finalize, {0}};
  return enabled ? &tool : NULL;
}
