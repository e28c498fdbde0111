/* What the callbacks of the recorder share. */
#ifndef STRIDEWISE_OMP_EVENTS_H
#define STRIDEWISE_OMP_EVENTS_H

#include "recorder.h"
#include "table.h"
#include <omp-tools.h>

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))

#pragma GCC visibility push(hidden)
extern __thread struct recorder *swo_own INITIAL_EXEC;
extern __thread uint64_t swo_own_generation INITIAL_EXEC; /* also where there is no room, so that it is asked once */
/* Where the OpenMP library is: it gives addresses of its own for some constructs of programs made by GCC. */
extern uint64_t swo_runtime_begin, swo_runtime_end;

struct recorder *swo_enroll(unsigned kind);

/* What the threads did before a barrier or the end of a region: meetings.c. */
void swo_begin_segment(struct frame *frame, uint64_t now, struct swo_entry *origin);
void swo_publish(struct recorder *recorder, struct frame *frame, uint64_t now);
void swo_end_segment(struct frame *frame, uint64_t now, struct swo_entry *meeting);
uint64_t swo_used_ticks(void); /* processor time of the thread */
void swo_know_idle(struct frame *frame, uint64_t length, uint64_t cpu_before);
void swo_meet(struct recorder *recorder, struct team *team, uint64_t now, uint64_t place);
void swo_begin_task(struct recorder *recorder, uint64_t now);
void swo_end_task(struct recorder *recorder, struct swo_entry *entry, uint64_t now);

/* Of loops and other work-shares, locks and tasks: constructs.c. */
void swo_on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t id,
                          const void *code);
void swo_on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *code);
void swo_on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *code);
void swo_on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                 uint64_t count, const void *code);
void swo_on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *code);
void swo_on_dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance);
void swo_on_task_create(ompt_data_t *encountering, const ompt_frame_t *frame, ompt_data_t *task, int flags,
                        int dependences, const void *code);
void swo_on_task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next);
#pragma GCC visibility pop

static inline struct recorder *self(void) {
  return __builtin_expect(swo_own_generation == swo_generation, 1) ? swo_own : swo_enroll(ompt_thread_unknown);
}

static inline uint64_t inside(const void *return_address) {
  uint64_t address = (uint64_t)return_address;
  return address && address - swo_runtime_begin >= swo_runtime_end - swo_runtime_begin ? address - 1 : 0;
}

static inline struct frame *innermost(struct recorder *recorder) {
  return recorder->depth && recorder->depth <= SWO_LEVELS ? &recorder->frames[recorder->depth - 1] : NULL;
}

static inline uint64_t region_of(struct recorder *recorder) {
  struct frame *frame = innermost(recorder);
  return frame ? frame->address : 0;
}

/* Time in which the thread was not busy. */
static inline void lose(struct frame *frame, uint64_t ticks) {
  if (frame) {
    frame->lost += ticks;
    frame->segment_lost += ticks;
  }
}

#endif
