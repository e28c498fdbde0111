/* The OpenMP recorder: a tool by the OMPT interface of OpenMP 5.1.
 *
 * A thread writes to tables of its own; what the opener of a team needs of the others' times goes through the slots of
 * the team, which each thread fills before it arrives at the region's end. So there are no locks and no allocations
 * once a thread has its tables. Barriers order the slots: their stores come before the arrival.
 */
#define _GNU_SOURCE
#include "events.h"
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

int swo_have_ticks;
uint64_t swo_microsecond = 1000;
uint64_t swo_runtime_begin, swo_runtime_end;
__thread struct recorder *swo_own INITIAL_EXEC;
__thread uint64_t swo_own_generation INITIAL_EXEC;
static int finished;

struct recorder *swo_enroll(unsigned kind) {
  swo_own = finished ? NULL : swo_shard_thread(kind);
  swo_own_generation = swo_generation;
  return swo_own;
}

/* --- Regions ----------------------------------------------------------------------------------------------------- */

/* What the thread did since its last region. Before the first one that is all it did. */
static void leave_gap(struct recorder *recorder, uint64_t now) {
  uint64_t gap = now - recorder->last_end;
  if (!recorder->last_end)
    recorder->thread->alone_ns = swo_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  else if (recorder->gap_cpu)
    recorder->thread->alone_ns += swo_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - recorder->gap_cpu;
  else if (gap < 1000 * swo_microsecond)
    recorder->thread->alone_ns += gap * 1000 / swo_microsecond;
  recorder->gap_long =
      !recorder->last_end || gap > 200 * swo_microsecond ? 8 : recorder->gap_long - !!recorder->gap_long;
  recorder->gap_cpu = 0;
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *encountering, ompt_data_t *parallel,
                              unsigned requested, int flags, const void *code) {
  (void)task, (void)encountering, (void)requested;
  struct recorder *recorder = self();
  parallel->ptr = NULL;
  if (!recorder || !(flags & ompt_parallel_team) || recorder->opened >= SWO_LEVELS)
    return;
  struct team *team = &recorder->teams[recorder->opened++];
  team->call = inside(code);
  team->address = swo_body ? swo_body : team->call ? team->call : (uint64_t)code;
  swo_body = 0;
  team->entry = swo_find(recorder, SWO_REGION, team->address, region_of(recorder));
  team->stamp = ++recorder->stamps;
  team->size = 0;
  team->meetings = 0;
  team->phase = recorder->depth ? 0 : __atomic_load_n(&swo_phase, __ATOMIC_RELAXED);
  parallel->ptr = team;
  team->begin = team->met = swo_ticks();
  if (!recorder->depth) {
    leave_gap(recorder, team->begin);
    if (recorder->last_region) {
      struct swo_entry *pair = swo_find(recorder, SWO_PAIR, team->address, recorder->last_region);
      if (pair) {
        swo_add(pair, team->begin - recorder->last_end);
        swo_typical(&pair->value[SWO_P_TYPICAL], team->begin - recorder->last_end, pair->count);
      }
    }
    recorder->last_region = team->address;
  }
}

static void close_team(struct team *team, uint64_t now) {
  struct swo_entry *entry = team->entry;
  uint64_t whole = now - team->begin, last = team->begin, longest = 0, busy = 0, most = 0;
  unsigned size = team->size < SWO_SLOTS ? team->size : SWO_SLOTS;
  for (unsigned i = 0; i < size; ++i) {
    const struct team_slot *slot = &team->slots[i];
    if (slot->stamp != team->stamp)
      continue;
    last = slot->arrival > last ? slot->arrival : last;
    longest = slot->span > longest ? slot->span : longest;
    most = slot->busy > most ? slot->busy : most;
    busy += slot->busy;
  }
  /* Counters of different processors may differ by a few ticks. */
  uint64_t overhead = whole > longest ? whole - longest : 0;
  swo_add(entry, whole);
  swo_typical(&entry->value[SWO_R_TYPICAL], overhead, entry->count);
  entry->value[SWO_R_OVERHEAD] += overhead;
  entry->value[SWO_R_BUSY] += busy;
  entry->value[SWO_R_LAST] += last - team->begin;
  entry->value[SWO_R_SIZE] += team->size;
  entry->value[SWO_R_LONGEST] += most;
  if (busy < whole) {
    entry->value[SWO_R_SLOWER]++;
    entry->value[SWO_R_EXCESS] += whole - busy;
  }
  if (team->size > entry->value[SWO_R_MAX_SIZE])
    entry->value[SWO_R_MAX_SIZE] = team->size;
  swo_phase_region(team->phase, whole, overhead, size ? busy / team->size : 0);
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code) {
  (void)task, (void)flags, (void)code;
  struct team *team = parallel ? parallel->ptr : NULL;
  struct recorder *recorder = self();
  if (!team || !recorder || team->level >= recorder->opened || team != &recorder->teams[team->level])
    return;
  uint64_t now = swo_ticks();
  recorder->opened = team->level;
  recorder->last_end = now;
  if (!recorder->depth && recorder->gap_long)
    recorder->gap_cpu = swo_nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  if (!team->entry)
    return;
  close_team(team, now);
  swo_meet(recorder, team, now, team->address);
}

static void observe_processor(struct recorder *recorder) {
  struct swo_thread *thread = recorder->thread;
  int cpu = sched_getcpu();
  if (cpu >= 0 && cpu < (int)SWO_CPUS && cpu != recorder->cpu) {
    thread->migrations += recorder->cpu >= 0;
    thread->cpus_seen[cpu / 64] |= UINT64_C(1) << cpu % 64;
    recorder->cpu = cpu;
  }
  uint64_t regions = ++thread->regions;
  if (!(regions & (regions - 1)))
    swo_shard_refresh(recorder);
}

static void enter(struct recorder *recorder, struct team *team, unsigned size, unsigned index) {
  if (recorder->depth++ >= SWO_LEVELS)
    return;
  struct frame *frame = &recorder->frames[recorder->depth - 1];
  memset(frame, 0, sizeof *frame);
  frame->team = team;
  frame->index = index;
  if (!team)
    return;
  frame->address = team->address;
  frame->stamp = team->stamp;
  frame->entry = swo_find(recorder, SWO_TEAM, team->address, 0);
  if (recorder->depth == 1)
    observe_processor(recorder);
  recorder->thread->number = index;
  if (!index)
    team->size = size;
  frame->begin = swo_ticks();
  swo_begin_segment(frame, frame->begin, frame->entry);
}

static void arrive(struct recorder *recorder, struct frame *frame, uint64_t now) {
  struct team *team = frame->team;
  frame->arrived = 1;
  if (!team)
    return;
  uint64_t span = now - frame->begin, busy = span > frame->lost ? span - frame->lost : 0;
  swo_publish(recorder, frame, now);
  swo_end_segment(frame, now, frame->entry);
  if (frame->index < SWO_SLOTS) {
    struct team_slot *slot = &team->slots[frame->index];
    slot->arrival = now;
    slot->span = span;
    slot->busy = busy;
    slot->stamp = frame->stamp;
  }
  if (frame->entry) {
    swo_add(frame->entry, span);
    frame->entry->value[SWO_T_ARRIVAL] += now > team->begin ? now - team->begin : 0;
    frame->entry->value[SWO_T_LAG] += frame->begin > team->begin ? frame->begin - team->begin : 0;
    frame->entry->value[SWO_T_BUSY] += busy;
  }
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned size,
                             unsigned index, int flags) {
  (void)task;
  struct recorder *recorder = flags & ompt_task_initial ? NULL : self();
  if (!recorder)
    return;
  if (endpoint == ompt_scope_begin) {
    enter(recorder, parallel ? parallel->ptr : NULL, size, index);
    return;
  }
  struct frame *frame = innermost(recorder);
  if (frame && !frame->arrived)
    arrive(recorder, frame, swo_ticks());
  if (recorder->depth)
    recorder->depth--;
}

/* --- Waiting ------------------------------------------------------------------------------------------------------ */

static uint32_t wait_kind(ompt_sync_region_t kind) {
  switch (kind) {
  case ompt_sync_region_barrier_explicit:
    return SWO_BARRIER_EXPLICIT;
  case ompt_sync_region_barrier_implicit_workshare:
    return SWO_BARRIER_IMPLICIT;
  case ompt_sync_region_taskwait:
    return SWO_TASKWAIT;
  case ompt_sync_region_taskgroup:
    return SWO_TASKGROUP;
  default:
    return SWO_BARRIER_OTHER;
  }
}

static void begin_wait(struct recorder *recorder, struct frame *frame, uint64_t now, int barrier) {
  if (recorder->waiting < SWO_WAITS)
    recorder->waits[recorder->waiting] = (struct wait){
        now, recorder->task_ticks, !barrier && frame->segment_cpu && recorder->wait_long ? swo_used_ticks() : 0};
  recorder->waiting++;
  if (barrier)
    swo_publish(recorder, frame, now);
}

static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                    const void *code) {
  (void)parallel, (void)task;
  struct recorder *recorder = self();
  struct frame *frame = recorder ? innermost(recorder) : NULL;
  if (!frame)
    return;
  if (kind == ompt_sync_region_barrier_implicit_parallel) {
    if (endpoint == ompt_scope_begin && !frame->arrived)
      arrive(recorder, frame, swo_ticks());
    return;
  }
  uint64_t now = swo_ticks();
  uint32_t sort = wait_kind(kind);
  int barrier = sort <= SWO_BARRIER_OTHER;
  if (endpoint == ompt_scope_begin) {
    begin_wait(recorder, frame, now, barrier);
    return;
  }
  if (!recorder->waiting || --recorder->waiting >= SWO_WAITS)
    return;
  struct wait *wait = &recorder->waits[recorder->waiting];
  uint64_t length = now - wait->begin, tasks = recorder->task_ticks - wait->task_ticks;
  /* Code made by GCC gives no address for the barrier of a loop: the loop's serves. */
  uint64_t address = inside(code);
  if (!address)
    address = barrier && frame->last_work ? frame->last_work : frame->address;
  struct swo_entry *entry = swo_find(recorder, sort, address, frame->address);
  length = length > tasks ? length - tasks : 0;
  if (barrier) {
    /* The segment ended where the wait began; tasks that were done meanwhile belong to it. */
    swo_end_segment(frame, wait->begin, entry);
    frame->lost += length;
    if (entry)
      entry->value[SWO_W_SEGMENT] += tasks;
    if (frame->team && !frame->index)
      swo_meet(recorder, frame->team, now, address);
    frame->meetings++;
  } else {
    lose(frame, length);
    if (!tasks)
      swo_know_idle(frame, length, wait->cpu);
    recorder->wait_long = length > 50 * swo_microsecond ? 8 : recorder->wait_long ? recorder->wait_long - 1 : 0;
    recorder->task_idle += length;
  }
  if (entry) {
    swo_add(entry, length);
    swo_typical(&entry->value[SWO_W_TYPICAL], length, entry->count);
  }
  if (barrier)
    swo_begin_segment(frame, now, entry);
}

static void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                         ompt_data_t *task, const void *code) {
  (void)kind, (void)parallel, (void)task;
  struct recorder *recorder = self();
  if (!recorder)
    return;
  uint64_t now = swo_ticks();
  if (endpoint == ompt_scope_begin) {
    recorder->reduction_begin = now;
    return;
  }
  uint64_t region = region_of(recorder);
  struct swo_entry *entry = swo_find(recorder, SWO_REDUCTION, inside(code) ? inside(code) : region, region);
  if (entry && recorder->reduction_begin)
    swo_add(entry, now - recorder->reduction_begin);
  recorder->reduction_begin = 0;
}

/* --- Life ----------------------------------------------------------------------------------------------------------
 */

static void on_thread_begin(ompt_thread_t kind, ompt_data_t *data) {
  (void)data;
  /* The initial thread gets its tables with its first region: many programs load OpenMP and use none. */
  if (kind != ompt_thread_initial)
    swo_enroll(kind);
}

static void end_thread(struct recorder *recorder) {
  if (recorder->last_end && !recorder->opened)
    leave_gap(recorder, swo_ticks());
  swo_shard_refresh(recorder);
}

static void on_thread_end(ompt_data_t *data) {
  (void)data;
  if (swo_own && swo_own_generation == swo_generation && !finished)
    end_thread(swo_own);
  swo_own = NULL;
  swo_own_generation = swo_generation;
}

static void choose_clock(void) {
#if defined(__x86_64__)
  unsigned a, b, c, d = 0;
  swo_have_ticks = __get_cpuid(0x80000007, &a, &b, &c, &d) && d >> 8 & 1; /* invariant time-stamp counter */
#endif
  uint64_t clock = swo_nanoseconds(CLOCK_MONOTONIC), ticks = swo_ticks(), now;
  do
    now = swo_nanoseconds(CLOCK_MONOTONIC);
  while (now - clock < 50000);
  swo_microsecond = (swo_ticks() - ticks) * 1000 / (now - clock) + 1;
}

void swo_choose_clock(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, choose_clock);
}

static int find_runtime(struct dl_phdr_info *info, size_t size, void *wanted) {
  (void)size;
  uint64_t begin = UINT64_MAX, end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD) {
      uint64_t first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, last = first + info->dlpi_phdr[i].p_memsz;
      begin = first < begin ? first : begin;
      end = last > end ? last : end;
    }
  if (*(uint64_t *)wanted < begin || *(uint64_t *)wanted >= end)
    return 0;
  /* Where the library is linked into the program, its addresses are the program's. */
  if (info->dlpi_name && info->dlpi_name[0]) {
    swo_runtime_begin = begin;
    swo_runtime_end = end;
  }
  return 1;
}

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (!set)
    return 0;
  swo_choose_clock();
  uint64_t runtime = (uint64_t)lookup;
  dl_iterate_phdr(find_runtime, &runtime);
  pthread_atfork(NULL, NULL, swo_shard_forget);
  static const struct {
    ompt_callbacks_t event;
    ompt_callback_t call;
  } wanted[] = {
      {ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin},
      {ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end},
      {ompt_callback_implicit_task, (ompt_callback_t)on_implicit_task},
      {ompt_callback_sync_region_wait, (ompt_callback_t)on_wait},
      {ompt_callback_reduction, (ompt_callback_t)on_reduction},
      {ompt_callback_mutex_acquire, (ompt_callback_t)swo_on_mutex_acquire},
      {ompt_callback_mutex_acquired, (ompt_callback_t)swo_on_mutex_acquired},
      {ompt_callback_mutex_released, (ompt_callback_t)swo_on_mutex_released},
      {ompt_callback_work, (ompt_callback_t)swo_on_work},
      {ompt_callback_masked, (ompt_callback_t)swo_on_masked},
      {ompt_callback_dispatch, (ompt_callback_t)swo_on_dispatch},
      {ompt_callback_task_create, (ompt_callback_t)swo_on_task_create},
      {ompt_callback_task_schedule, (ompt_callback_t)swo_on_task_schedule},
      {ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin},
      {ompt_callback_thread_end, (ompt_callback_t)on_thread_end},
  };
  for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; ++i)
    set(wanted[i].event, wanted[i].call);
  return 1;
}

static void stop(ompt_data_t *data) {
  (void)data;
  if (swo_own && swo_own_generation == swo_generation)
    end_thread(swo_own);
  finished = 1;
  swo_shard_close();
}

/* The OpenMP library says nothing where a thread other than the first ends the process. */
__attribute__((destructor)) static void leave(void) {
  if (!finished)
    stop(NULL);
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *ompt_start_tool(unsigned version,
                                                                                 const char *runtime) {
  static ompt_start_tool_result_t result = {start, stop, {0}};
  (void)version;
  swo_shard_runtime(runtime);
  return &result;
}
