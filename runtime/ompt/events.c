/* The OpenMP recorder: a tool by the OMPT interface of OpenMP 5.1.
 *
 * A thread writes to tables of its own; what the opener of a team needs of the others' times goes through the slots of
 * the team, which each thread fills before it arrives at the region's end. So there are no locks and no allocations
 * once a thread has its tables. Barriers order the slots: their stores come before the arrival.
 */
#define _GNU_SOURCE
#include "recorder.h"
#include "table.h"
#include <link.h>
#include <omp-tools.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))

enum { EXPLICIT_TASK = 1 }; /* lowest bit of a task's word; the address of its creation is in the others */

int swo_have_ticks;
uint64_t swo_microsecond = 1000;
static __thread struct recorder *own INITIAL_EXEC;
static __thread uint64_t own_generation INITIAL_EXEC; /* also where there is no room, so that it is asked once */
static int finished;

static struct recorder *enroll(unsigned kind) {
  own = finished ? NULL : swo_shard_thread(kind);
  own_generation = swo_generation;
  return own;
}

static inline struct recorder *self(void) {
  return __builtin_expect(own_generation == swo_generation, 1) ? own : enroll(ompt_thread_unknown);
}

/* Where the OpenMP library is: it gives addresses of its own for some constructs of programs made by GCC. */
static uint64_t runtime_begin, runtime_end;

static inline uint64_t inside(const void *return_address) {
  uint64_t address = (uint64_t)return_address;
  return address && address - runtime_begin >= runtime_end - runtime_begin ? address - 1 : 0;
}

static inline struct frame *innermost(struct recorder *recorder) {
  return recorder->depth && recorder->depth <= SWO_LEVELS ? &recorder->frames[recorder->depth - 1] : NULL;
}

static inline uint64_t region_of(struct recorder *recorder) {
  struct frame *frame = innermost(recorder);
  return frame ? frame->address : 0;
}

/* --- Regions ----------------------------------------------------------------------------------------------------- */

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
  parallel->ptr = team;
  team->begin = swo_ticks();
  if (!recorder->depth) {
    if (recorder->last_region) {
      struct swo_entry *pair = swo_find(recorder, SWO_PAIR, team->address, recorder->last_region);
      if (pair) {
        swo_add(pair, team->begin - recorder->last_end);
        swo_typical(&pair->value[SWO_P_TYPICAL], team->begin - recorder->last_end);
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
  swo_typical(&entry->value[SWO_R_TYPICAL], overhead);
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
  if (team->entry)
    close_team(team, now);
}

/* Processor time of the thread, where the segment to come is likely to be long enough to hide the cost of asking. */
static inline void begin_segment(struct frame *frame, uint64_t now, struct swo_entry *origin) {
  frame->segment = now;
  frame->segment_lost = 0;
  frame->origin = origin;
  frame->segment_cpu = origin && origin->flags ? swo_nanoseconds(CLOCK_THREAD_CPUTIME_ID) : 0;
}

static inline void end_segment(struct frame *frame, uint64_t now, struct swo_entry *meeting) {
  uint64_t length = now - frame->segment;
  uint64_t busy = length > frame->segment_lost ? length - frame->segment_lost : 0;
  if (frame->origin)
    frame->origin->flags = length > 200 * swo_microsecond;
  if (!meeting)
    return;
  meeting->value[SWO_W_SEGMENT] += busy;
  meeting->value[SWO_W_WORK] = frame->last_work;
  meeting->value[SWO_W_WORK_KIND] = frame->last_kind;
  if (frame->segment_cpu) {
    meeting->value[SWO_W_CPU_NS] += swo_nanoseconds(CLOCK_THREAD_CPUTIME_ID) - frame->segment_cpu;
    meeting->value[SWO_W_SAMPLED] += length;
  }
}

static inline void lose(struct frame *frame, uint64_t ticks) {
  if (frame) {
    frame->lost += ticks;
    frame->segment_lost += ticks;
  }
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
  begin_segment(frame, frame->begin, frame->entry);
}

static void arrive(struct frame *frame, uint64_t now) {
  struct team *team = frame->team;
  frame->arrived = 1;
  if (!team)
    return;
  uint64_t span = now - frame->begin, busy = span > frame->lost ? span - frame->lost : 0;
  end_segment(frame, now, frame->entry);
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
    arrive(frame, swo_ticks());
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

static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                    const void *code) {
  (void)parallel, (void)task;
  struct recorder *recorder = self();
  struct frame *frame = recorder ? innermost(recorder) : NULL;
  if (!frame)
    return;
  uint64_t now = swo_ticks();
  if (kind == ompt_sync_region_barrier_implicit_parallel) {
    if (endpoint == ompt_scope_begin && !frame->arrived)
      arrive(frame, now);
    return;
  }
  if (endpoint == ompt_scope_begin) {
    if (recorder->waiting < SWO_WAITS)
      recorder->waits[recorder->waiting] = (struct wait){now, recorder->task_ticks};
    recorder->waiting++;
    return;
  }
  if (!recorder->waiting || --recorder->waiting >= SWO_WAITS)
    return;
  struct wait *wait = &recorder->waits[recorder->waiting];
  uint64_t length = now - wait->begin, tasks = recorder->task_ticks - wait->task_ticks;
  uint32_t sort = wait_kind(kind);
  int barrier = sort <= SWO_BARRIER_OTHER;
  /* Code made by GCC gives no address for the barrier of a loop: the loop's serves. */
  uint64_t address = inside(code);
  if (!address)
    address = barrier && frame->last_work ? frame->last_work : frame->address;
  struct swo_entry *entry = swo_find(recorder, sort, address, frame->address);
  length = length > tasks ? length - tasks : 0;
  if (barrier) {
    /* The segment ended where the wait began; tasks that were done meanwhile belong to it. */
    end_segment(frame, wait->begin, entry);
    frame->lost += length;
    if (entry)
      entry->value[SWO_W_SEGMENT] += tasks;
  } else
    lose(frame, length);
  if (entry)
    swo_add(entry, length);
  if (barrier)
    begin_segment(frame, now, entry);
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

static uint32_t mutex_kind(ompt_mutex_t kind) {
  switch (kind) {
  case ompt_mutex_critical:
    return SWO_CRITICAL;
  case ompt_mutex_atomic:
    return SWO_ATOMIC;
  case ompt_mutex_ordered:
    return SWO_ORDERED;
  default:
    return SWO_LOCK;
  }
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t id,
                             const void *code) {
  (void)kind, (void)hint, (void)implementation, (void)id;
  struct recorder *recorder = self();
  if (!recorder)
    return;
  recorder->mutex_address = inside(code);
  recorder->mutex_begin = swo_ticks();
}

static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *code) {
  struct recorder *recorder = self();
  if (!recorder || !recorder->mutex_begin)
    return;
  uint64_t now = swo_ticks(), length = now - recorder->mutex_begin;
  uint64_t address = recorder->mutex_address ? recorder->mutex_address : inside(code);
  struct swo_entry *entry = swo_find(recorder, mutex_kind(kind), address, region_of(recorder));
  recorder->mutex_begin = 0;
  lose(innermost(recorder), length);
  if (!entry)
    return;
  swo_add(entry, length);
  entry->value[SWO_M_CONTENDED] += length > swo_microsecond;
  if (recorder->holding < SWO_WAITS)
    recorder->holds[recorder->holding++] = (struct hold){id, now, entry};
}

static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *code) {
  (void)kind, (void)code;
  struct recorder *recorder = self();
  if (!recorder)
    return;
  for (unsigned i = recorder->holding; i-- > 0;)
    if (recorder->holds[i].id == id) {
      recorder->holds[i].entry->value[SWO_M_HOLD] += swo_ticks() - recorder->holds[i].begin;
      recorder->holds[i] = recorder->holds[--recorder->holding];
      return;
    }
}

/* --- Work ----------------------------------------------------------------------------------------------------------
 */

static uint32_t work_kind(ompt_work_t kind) {
  switch ((int)kind) {
  case ompt_work_loop:
  case ompt_work_loop_static:
    return SWO_LOOP_STATIC;
  case ompt_work_loop_dynamic:
    return SWO_LOOP_DYNAMIC;
  case ompt_work_loop_guided:
    return SWO_LOOP_GUIDED;
  case ompt_work_loop_other:
    return SWO_LOOP_OTHER;
  case ompt_work_sections:
    return SWO_SECTIONS;
  case ompt_work_single_executor:
  case ompt_work_single_other:
    return SWO_SINGLE;
  default:
    return SWO_WORK_OTHER;
  }
}

static void end_chunk(struct frame *frame, uint64_t now) {
  if (!frame->chunk_begin)
    return;
  uint64_t length = now - frame->chunk_begin, *value = frame->work->value;
  double squares;
  memcpy(&squares, &value[SWO_L_CHUNK_SQUARES], sizeof squares);
  squares += (double)length * (double)length;
  memcpy(&value[SWO_L_CHUNK_SQUARES], &squares, sizeof squares);
  value[SWO_L_CHUNK_TICKS] += length;
  swo_typical(&value[SWO_L_CHUNK_TYPICAL], length);
  frame->chunk_begin = 0;
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                    uint64_t count, const void *code) {
  (void)parallel, (void)task;
  struct recorder *recorder = self();
  struct frame *frame = recorder ? innermost(recorder) : NULL;
  if (!frame)
    return;
  uint64_t now = swo_ticks();
  if (endpoint == ompt_scope_begin) {
    frame->last_kind = work_kind(kind);
    frame->last_work = inside(code);
    /* A region that is a loop, by GCC: the loop begins in the library, or where the region is called. */
    if (!frame->last_work || (frame->team && frame->last_work == frame->team->call))
      frame->last_work = frame->address;
    frame->work = swo_find(recorder, frame->last_kind, frame->last_work, frame->address);
    frame->work_begin = now;
    frame->chunk_begin = 0;
    /* GCC's code does not say where the executor's part of a single ends. */
    if (frame->work && frame->last_kind == SWO_SINGLE && kind == ompt_work_single_executor)
      swo_add(frame->work, 0);
    else if (frame->work)
      frame->work->value[SWO_L_TRIPS] += count;
  } else if (frame->work) {
    end_chunk(frame, now);
    if (frame->last_kind != SWO_SINGLE)
      swo_add(frame->work, now - frame->work_begin);
    else if (kind == ompt_work_single_executor)
      frame->work->ticks += now - frame->work_begin;
    frame->work = NULL;
  }
}

static void on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance) {
  (void)parallel, (void)task;
  struct recorder *recorder = kind == ompt_dispatch_ws_loop_chunk ? self() : NULL;
  struct frame *frame = recorder ? innermost(recorder) : NULL;
  const ompt_dispatch_chunk_t *chunk = instance.ptr;
  if (!frame || !frame->work || !chunk)
    return;
  uint64_t now = swo_ticks(), *value = frame->work->value;
  end_chunk(frame, now);
  if (!value[SWO_L_CHUNKS]++)
    value[SWO_L_CHUNK_SIZE] = chunk->iterations;
  value[SWO_L_OWN] += chunk->iterations;
  frame->chunk_begin = now;
}

/* --- Tasks ---------------------------------------------------------------------------------------------------------
 */

static void on_task_create(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                           int dependences, const void *code) {
  (void)encountering, (void)frame, (void)dependences;
  struct recorder *recorder = flags & ompt_task_explicit ? self() : NULL;
  if (!recorder || !task)
    return;
  uint64_t address = inside(code);
  task->value = address << 1 | EXPLICIT_TASK;
  struct swo_entry *entry = swo_find(recorder, SWO_TASK, address, 0);
  if (entry)
    entry->value[SWO_K_CREATED]++;
}

static void on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  struct recorder *recorder = self();
  if (!recorder)
    return;
  uint64_t now = swo_ticks();
  if (prior && prior->value & EXPLICIT_TASK && recorder->task_since) {
    uint64_t length = now - recorder->task_since;
    struct swo_entry *entry = swo_find(recorder, SWO_TASK, prior->value >> 1, 0);
    recorder->task_ticks += length;
    if (entry && status != ompt_task_switch && status != ompt_task_yield)
      swo_add(entry, length);
    else if (entry)
      entry->ticks += length;
  }
  recorder->task_since = next && next->value & EXPLICIT_TASK ? now : 0;
}

/* --- Life ----------------------------------------------------------------------------------------------------------
 */

static void on_thread_begin(ompt_thread_t kind, ompt_data_t *data) {
  (void)data;
  /* The initial thread gets its tables with its first region: many programs load OpenMP and use none. */
  if (kind != ompt_thread_initial)
    enroll(kind);
}

static void on_thread_end(ompt_data_t *data) {
  (void)data;
  if (own && own_generation == swo_generation && !finished)
    swo_shard_refresh(own);
  own = NULL;
  own_generation = swo_generation;
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
    runtime_begin = begin;
    runtime_end = end;
  }
  return 1;
}

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  if (!set)
    return 0;
  choose_clock();
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
      {ompt_callback_mutex_acquire, (ompt_callback_t)on_mutex_acquire},
      {ompt_callback_mutex_acquired, (ompt_callback_t)on_mutex_acquired},
      {ompt_callback_mutex_released, (ompt_callback_t)on_mutex_released},
      {ompt_callback_work, (ompt_callback_t)on_work},
      {ompt_callback_dispatch, (ompt_callback_t)on_dispatch},
      {ompt_callback_task_create, (ompt_callback_t)on_task_create},
      {ompt_callback_task_schedule, (ompt_callback_t)on_task_schedule},
      {ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin},
      {ompt_callback_thread_end, (ompt_callback_t)on_thread_end},
  };
  for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; ++i)
    set(wanted[i].event, wanted[i].call);
  return 1;
}

static void stop(ompt_data_t *data) {
  (void)data;
  if (own && own_generation == swo_generation)
    swo_shard_refresh(own);
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
