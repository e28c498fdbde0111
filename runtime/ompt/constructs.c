/* Locks, work-shares and tasks. */
#include "events.h"
#include <string.h>

enum { EXPLICIT_TASK = 1 }; /* lowest bit of a task's word; the address of its creation is in the others */

/* --- Locks ---------------------------------------------------------------------------------------------------------
 */

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

void swo_on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t id,
                          const void *code) {
  (void)hint, (void)implementation, (void)id;
  struct recorder *recorder = self();
  if (!recorder)
    return;
  recorder->mutex_address = inside(code);
  struct frame *frame = innermost(recorder);
  struct swo_entry *entry = frame && frame->segment_cpu && recorder->mutex_address
                                ? swo_find(recorder, mutex_kind(kind), recorder->mutex_address, frame->address)
                                : NULL;
  recorder->mutex_cpu = entry && (entry->flags || entry->count <= 1) ? swo_used_ticks() : 0;
  recorder->mutex_begin = swo_ticks();
}

void swo_on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *code) {
  struct recorder *recorder = self();
  if (!recorder || !recorder->mutex_begin)
    return;
  uint64_t now = swo_ticks(), length = now - recorder->mutex_begin;
  uint64_t address = recorder->mutex_address ? recorder->mutex_address : inside(code);
  /* Once in some millions LLVM's library does not say from where: the lock tells. */
  if (!address && recorder->mutex_last == id)
    address = recorder->mutex_last_address;
  recorder->mutex_last = id;
  recorder->mutex_last_address = address;
  struct swo_entry *entry = swo_find(recorder, mutex_kind(kind), address, region_of(recorder));
  recorder->mutex_begin = 0;
  lose(innermost(recorder), length);
  swo_know_idle(innermost(recorder), length, recorder->mutex_cpu);
  recorder->task_idle += length;
  if (!entry)
    return;
  entry->flags = length > 50 * swo_microsecond ? 8 : entry->flags ? entry->flags - 1 : 0;
  swo_add(entry, length);
  entry->value[SWO_M_CONTENDED] += length > swo_microsecond;
  swo_typical(&entry->value[SWO_M_TYPICAL], length, entry->count);
  if (recorder->holding < SWO_WAITS)
    recorder->holds[recorder->holding++] = (struct hold){id, now, entry};
}

void swo_on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *code) {
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
  swo_typical(&value[SWO_L_CHUNK_TYPICAL], length, value[SWO_L_CHUNKS]);
  frame->chunk_begin = 0;
}

void swo_on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
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

/* What the first thread alone does counts as a single's work. Code made by GCC does not tell of it. */
void swo_on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code) {
  (void)parallel, (void)task;
  struct recorder *recorder = endpoint == ompt_scope_begin ? self() : NULL;
  struct frame *frame = recorder ? innermost(recorder) : NULL;
  if (frame && inside(code)) {
    frame->last_kind = SWO_SINGLE;
    frame->last_work = inside(code);
  }
}

void swo_on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance) {
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

void swo_on_task_create(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *task, int flags,
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

void swo_on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next) {
  struct recorder *recorder = self();
  if (!recorder)
    return;
  uint64_t now = swo_ticks();
  if (prior && prior->value & EXPLICIT_TASK && recorder->task_since) {
    uint64_t length = now - recorder->task_since;
    struct swo_entry *entry = swo_find(recorder, SWO_TASK, prior->value >> 1, 0);
    swo_end_task(recorder, entry, now);
    if (entry && status != ompt_task_switch && status != ompt_task_yield) {
      swo_add(entry, length);
      swo_typical(&entry->value[SWO_K_TYPICAL], length, entry->count);
    } else if (entry)
      entry->ticks += length;
  }
  recorder->task_since = 0;
  if (next && next->value & EXPLICIT_TASK)
    swo_begin_task(recorder, now);
}
