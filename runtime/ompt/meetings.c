/* What the threads of a team did before they met: at a barrier, or at the end of the region.
 *
 * Each thread publishes its share in its slot of the team before it arrives; the barrier orders these stores before the
 * loads of the first thread, which adds up the meeting when it has left the barrier. So what unequal work costs is
 * known of each meeting, whoever was late, and whatever addresses the compiler gave one barrier.
 *
 * Elapsed time is what others leave of the processors. So a share counts processor time wherever the segment is long
 * enough for that to be asked. Asking is a system call: it is made at the first segments behind a meeting, and for some
 * time after each long one. A long segment that nobody asked for makes its meeting an unsure one, which is left out.
 */
#include "events.h"

enum {
  ASKED = 8,        /* segments after a long one of which the processor time is asked */
  LONG_US = 200,    /* then asking costs less than a part in two hundred */
  UNSURE_US = 1000, /* a preempted thread is away about that long */
};

uint64_t swo_used_ticks(void) { return swo_nanoseconds(CLOCK_THREAD_CPUTIME_ID) * swo_microsecond / 1000; }

void swo_begin_segment(struct frame *frame, uint64_t now, struct swo_entry *origin) {
  frame->segment = now;
  frame->segment_lost = frame->segment_tasks = frame->longest_task = frame->idle = frame->idle_cpu = 0;
  frame->origin = origin;
  frame->share = NULL;
  frame->last_work = 0; /* what follows need not begin with an event: GCC tells nothing of static loops */
  frame->last_kind = 0;
  frame->segment_cpu = origin && (origin->flags || origin->count <= 1) ? swo_used_ticks() : 0;
}

/* A wait in the segment for a lock or a task. `cpu_before`: processor time at its begin, 0 if nobody asked. */
void swo_know_idle(struct frame *frame, uint64_t length, uint64_t cpu_before) {
  if (!frame || !cpu_before || !frame->segment_cpu)
    return;
  frame->idle += length;
  frame->idle_cpu += swo_used_ticks() - cpu_before;
}

void swo_publish(struct recorder *recorder, struct frame *frame, uint64_t now) {
  struct team *team = frame->team;
  if (!team || frame->index >= SWO_SLOTS)
    return;
  uint64_t length = now - frame->segment, used = length > frame->segment_lost ? length - frame->segment_lost : 0;
  if (frame->segment_cpu) {
    uint64_t cpu = swo_used_ticks() - frame->segment_cpu, whole = length - frame->idle;
    cpu = cpu > frame->idle_cpu ? cpu - frame->idle_cpu : 0;
    /* Whoever waits for a lock or a task may spin: where that is not known, what the thread lacked is taken from both
     * parts alike. */
    if (cpu < whole && frame->idle < length)
      used = (uint64_t)((double)used * (double)cpu / (double)whole);
  }
  struct share *share = &team->slots[frame->index].shares[frame->meetings & 1];
  share->arrival = now;
  share->used = used;
  share->tasks = frame->segment_tasks;
  share->longest_task = frame->longest_task;
  share->work = frame->last_work;
  share->kind = frame->last_kind;
  share->unsure = !frame->segment_cpu && length > UNSURE_US * swo_microsecond;
  share->key = frame->stamp << 24 | frame->meetings;
  frame->share = share;
  (void)recorder;
}

void swo_end_segment(struct frame *frame, uint64_t now, struct swo_entry *meeting) {
  uint64_t length = now - frame->segment;
  uint64_t busy = length > frame->segment_lost ? length - frame->segment_lost : 0;
  if (frame->origin) {
    if (length > LONG_US * swo_microsecond)
      frame->origin->flags = ASKED;
    else if (frame->origin->flags)
      frame->origin->flags--;
  }
  if (!meeting)
    return;
  meeting->value[SWO_W_SEGMENT] += busy;
  meeting->value[SWO_W_WORK] = frame->last_work;
  meeting->value[SWO_W_WORK_KIND] = frame->last_kind;
  if (frame->segment_cpu) {
    uint64_t cpu = swo_used_ticks() - frame->segment_cpu;
    meeting->value[SWO_W_CPU_NS] += cpu * 1000 / swo_microsecond;
    meeting->value[SWO_W_SAMPLED] += length;
  }
}

void swo_meet(struct recorder *recorder, struct team *team, uint64_t now, uint64_t place) {
  uint64_t since = team->met, key = team->stamp << 24 | team->meetings++;
  team->met = now;
  unsigned size = team->size < SWO_SLOTS ? team->size : SWO_SLOTS;
  /* Reading the slots takes some ten nanoseconds each. */
  if (size < 2 || now - since < size * swo_microsecond)
    return;
  const struct share *most = NULL;
  unsigned culprit = 0, unsure = 0;
  uint64_t used = 0, tasks = 0, longest_task = 0, last = 0;
  for (unsigned i = 0; i < size; ++i) {
    const struct share *share = &team->slots[i].shares[key & 1];
    if (share->key != key)
      return;
    if (!most || share->used > most->used) {
      most = share;
      culprit = i;
    }
    used += share->used;
    tasks += share->tasks;
    unsure |= share->unsure;
    longest_task = share->longest_task > longest_task ? share->longest_task : longest_task;
    last = share->arrival > last ? share->arrival : last;
  }
  uint64_t waited = 0;
  for (unsigned i = 0; i < size; ++i)
    waited += last - team->slots[i].shares[key & 1].arrival;
  struct swo_entry *entry = swo_find(recorder, SWO_MEETING, most->work ? most->work : place, place);
  if (!entry)
    return;
  uint64_t *value = entry->value;
  value[SWO_G_REGION] = team->address;
  value[SWO_G_KIND] = most->kind;
  if (unsure) {
    value[SWO_G_UNSURE]++;
    value[SWO_G_UNSURE_WAITED] += waited / size;
    return;
  }
  swo_add(entry, now - since);
  value[SWO_G_LONGEST] += most->used;
  value[SWO_G_USED] += used;
  value[SWO_G_SIZE] += size;
  value[SWO_G_WAITED] += waited / size;
  value[SWO_G_TASKS] += tasks;
  value[SWO_G_LONGEST_TASK] += longest_task;
  if (value[SWO_G_CULPRIT] == culprit)
    value[SWO_G_VOTES]++;
  else if (value[SWO_G_VOTES])
    value[SWO_G_VOTES]--;
  else {
    value[SWO_G_CULPRIT] = culprit;
    value[SWO_G_VOTES] = 1;
  }
}

/* --- Tasks ------------------------------------------------------------------------------------------------------- */

void swo_begin_task(struct recorder *recorder, uint64_t now) {
  recorder->task_since = now;
  recorder->task_idle = 0;
  recorder->task_cpu = recorder->task_long ? swo_used_ticks() : 0;
}

/* A task ends, or another goes on in its place. */
void swo_end_task(struct recorder *recorder, struct swo_entry *entry, uint64_t now) {
  uint64_t length = now - recorder->task_since;
  uint64_t used = length > recorder->task_idle ? length - recorder->task_idle : 0;
  uint64_t cpu = recorder->task_cpu ? swo_used_ticks() - recorder->task_cpu : length;
  if (cpu < length && length)
    used = (uint64_t)((double)used * (double)cpu / (double)length);
  int unsure = !recorder->task_cpu && length > UNSURE_US * swo_microsecond;
  if (unsure) /* of tasks that were short so far, one whose thread was away */
    used = LONG_US * swo_microsecond;
  if (length > LONG_US * swo_microsecond)
    recorder->task_long = ASKED;
  else if (recorder->task_long)
    recorder->task_long--;
  recorder->task_ticks += length;
  if (entry)
    entry->value[SWO_K_USED] += used;
  struct frame *frame = innermost(recorder);
  if (!frame)
    return;
  struct share *share = frame->share;
  if (!share) {
    frame->segment_tasks += used;
    frame->longest_task = used > frame->longest_task ? used : frame->longest_task;
    return;
  }
  share->used += used;
  share->tasks += used;
  share->longest_task = used > share->longest_task ? used : share->longest_task;
  share->unsure |= unsure;
  share->arrival = now;
  if (!frame->arrived)
    return;
  /* Tasks at the region's end are a part of the thread's time in it. */
  struct team_slot *slot = &frame->team->slots[frame->index];
  slot->arrival = now;
  slot->span = now - frame->begin;
  slot->busy += length;
  if (frame->entry) {
    frame->entry->value[SWO_W_SEGMENT] += length;
    frame->entry->value[SWO_T_BUSY] += length;
  }
}
