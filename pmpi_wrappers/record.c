/* What is noted before each call and written down behind it, whatever its kind. */
#include "record.h"
#include <string.h>

int sw_hash_payload;
uint64_t sw_burst_gap_ticks;
uint64_t sw_run_threshold;

static uint64_t scratch_handles[SW_SCRATCH];
static MPI_Status scratch_statuses[SW_SCRATCH];
int sw_scratch_taken;
_Static_assert(sizeof(MPI_Status) <= SW_STATUS_WORDS * sizeof(uint64_t), "a status fits into struct sw_call");

void sw_record_reset(void) {
  sw_thread = (struct sw_thread){.cfa = sw_thread.cfa,
                                 .pc = sw_thread.pc,
                                 .numbered = 1,
                                 .timer_path = SW_NO_PATH,
                                 .progress = sw_shard.progress,
                                 .latest = {.count = UINT64_MAX}};
  sw_threads_reset();
  sw_requests_reset();
}

/* --- Before the call ---------------------------------------------------------------------------------------------- */

/* What the thread is about to do, where it is found if the process never comes to record it. The call path is the same
 * before the call and behind it; under MPI_THREAD_SERIALIZED finding it may wait for a lock, and the site has to do. */
void sw_before_call(struct sw_call *call, const struct sw_op *args, unsigned roles) {
  struct sw_thread *thread = call->thread;
  struct sw_progress *progress = thread->progress;
  if (SW_UNLIKELY(!progress)) {
    call->begin = sw_ticks();
    return;
  }
  if (__builtin_expect(!sw_multiple, 1)) {
    call->path = sw_call_path(call);
    call->has_path = 1;
  }
  uint32_t comm = SW_NO_COMM, what = call->fortran ? SW_PROGRESS_FORTRAN : 0, flags = sw_call_info[call->index].flags;
  if ((flags & (SW_EV_COLLECTIVE | SW_EV_START)) == SW_EV_COLLECTIVE)
    what |= SW_PROGRESS_COLLECTIVE;
  int32_t peer = SW_PEER_NONE;
  if (roles & SW_AT_COMM) {
    /* A wrong communicator or rank is the MPI's to complain of. */
    const struct sw_comm_entry *found = sw_comm_known(comm_number(args));
    call->comm = found;
    comm = found ? found->index : SW_NO_COMM;
    if (found && roles & (SW_AT_PEER | SW_AT_ROOT)) {
      int rank = roles & SW_AT_PEER ? args->peer : args->root;
      what |= SW_PROGRESS_PEER;
      peer = rank < (int)found->size ? sw_world_rank(found, rank) : SW_PEER_OTHER;
    }
  }
  /* Without a begin while the rest changes: the process may be killed at any instruction. */
  progress->begin = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  progress->end = 0;
  progress->pc = call->site.pc - 1;
  progress->path = call->has_path ? call->path : SW_NO_PATH;
  progress->comm = comm;
  progress->call = call->index;
  progress->what = (uint16_t)(what | (roles & SW_AT_TAG ? SW_PROGRESS_TAG : 0));
  progress->peer = peer;
  progress->tag = roles & SW_AT_TAG ? args->tag : 0;
  call->in_progress = 1;
  uint64_t now = sw_ticks();
  if (SW_UNLIKELY(call->slow)) /* so will be what comes behind the call: see end_record */
    thread->away_ticks += now - call->slow_begin;
  call->begin = now;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  progress->begin = now;
}

void sw_before_status(struct sw_call *call, struct sw_op *args) {
  if (ignored(args->binding, args->status))
    args->status = call->own_status;
}

/* What the matched probe knew is taken out here: once the call has run, another thread may get the same handle. */
void sw_before_message(struct sw_call *call, struct sw_op *args, int with_status) {
  struct sw_request request = {.comm = SW_NO_COMM, .peer = SW_PEER_NULL, .tag = MPI_ANY_TAG, .seq = SW_NO_SEQ};
  _Static_assert(sizeof request <= sizeof call->inline_handles, "kept in the call");
  if (sw_begin_recording(call->thread)) {
    sw_request_take(call->thread, message_key(load_handle(args->binding, args->message, 0, SW_KIND_MESSAGE)), &request);
    sw_end_recording(call->thread);
  }
  memcpy(call->inline_handles, &request, sizeof request);
  if (with_status)
    sw_before_status(call, args);
}

/* More requests than can be followed: say so, and keep no stale entries of them. */
static void forget_all(const struct sw_call *call, const struct sw_op *args, const void *array, int count) {
  if (!sw_begin_recording(call->thread))
    return;
  for (int i = 0; i < count; ++i) {
    uint64_t handle = load_handle(args->binding, array, i, SW_KIND_REQUEST);
    const struct sw_request *request = sw_request_hold(call->thread, handle);
    int dropped = request && !request->persistent;
    sw_request_let_go(request);
    if (dropped) {
      sw_request_drop(call->thread, handle);
      sw_count(&sw_shard.header->dropped_requests);
    }
  }
  sw_end_recording(call->thread);
}

static void capture(struct sw_call *call, const struct sw_op *args, enum sw_how_many many) {
  int count = many == SW_MANY ? args->n : 1;
  const void *array = many == SW_MANY ? args->requests : args->request;
  call->handles = call->inline_handles;
  call->requests = count < 0 ? 0 : count;
  if (count > SW_INLINE_REQUESTS) {
    call->requests = -1;
    if (count > (int)SW_SCRATCH || __atomic_exchange_n(&sw_scratch_taken, 1, __ATOMIC_ACQUIRE)) {
      forget_all(call, args, array, count);
      return;
    }
    call->scratch = 1;
    call->handles = scratch_handles;
    call->requests = count;
  }
  for (int i = 0; i < call->requests; ++i)
    call->handles[i] = load_handle(args->binding, array, i, SW_KIND_REQUEST);
}

void sw_before_start(struct sw_call *call, struct sw_op *args, enum sw_how_many many) { capture(call, args, many); }

void sw_before_wait(struct sw_call *call, struct sw_op *args, enum sw_how_many many, enum sw_how_many statuses) {
  capture(call, args, many);
  if (statuses == SW_ONE)
    sw_before_status(call, args);
  else if (ignored(args->binding, args->statuses)) {
    if (call->scratch)
      args->statuses = scratch_statuses;
    else if (call->requests >= 0)
      args->statuses = call->own_status;
  }
}

void sw_before_free(struct sw_call *call, struct sw_op *args, const void *pointer, enum sw_handle_kind kind) {
  uint64_t handle = load_handle(args->binding, pointer, 0, kind);
  call->inline_handles[0] = handle;
  switch (kind) { /* forgotten here: once the call has run, another thread may get the same handle */
  case SW_KIND_COMM:
  case SW_KIND_WIN:
  case SW_KIND_FILE:
    call->inline_handles[1] = sw_object_find(handle, kind);
    sw_object_forget(handle, kind);
    break;
  case SW_KIND_TYPE:
    sw_type_forget(handle);
    break;
  default:
    break;
  }
}

/* --- Behind it ---------------------------------------------------------------------------------------------------- */

/* The clocks are read at every 256th call, and at powers of two before: who dies early leaves the tick's length too. */
static inline void refresh_clock(struct sw_thread *thread, uint64_t calls) {
  if (__builtin_expect((calls & thread->refresh_mask) != 0, 1))
    return;
  thread->refresh_mask = thread->refresh_mask < 255 ? 2 * thread->refresh_mask + 1 : 255;
  if (sw_try_lock()) {
    sw_shard_refresh_clock();
    sw_unlock();
  }
}

static __attribute__((noinline)) void count_in_lane(struct sw_thread *thread, uint64_t ticks) {
  struct sw_thread_totals *totals = &sw_shard.threads[thread->number];
  if (SW_UNLIKELY(thread->number == SW_THREADS)) {
    __atomic_fetch_add(&totals->mpi_ticks, ticks, __ATOMIC_RELAXED);
    __atomic_fetch_add(&totals->call_count, 1, __ATOMIC_RELAXED);
    return;
  }
  totals->mpi_ticks += ticks;
  refresh_clock(thread, ++totals->call_count);
}

/* Ends the measured time and starts the recording; false when recording has ended meanwhile. */
int sw_begin_record(struct sw_call *call) {
  struct sw_thread *thread = call->thread;
  call->end = sw_ticks();
  if (SW_UNLIKELY(call->end < call->begin)) /* counters of two processors may differ a little */
    call->end = call->begin;
  if (SW_UNLIKELY(!sw_begin_recording(thread))) {
    thread->cfa = NULL;
    return 0;
  }
  uint64_t ticks = call->end - call->begin;
  thread->away_ticks += ticks;
  if (!call->has_path)
    call->path = sw_call_path(call);
  if (__builtin_expect(call->in_progress, 1))
    thread->progress->end = call->end;
  if (SW_UNLIKELY(sw_multiple)) {
    count_in_lane(thread, ticks);
  } else {
    sw_shard.header->mpi_ticks += ticks;
    refresh_clock(thread, ++sw_shard.header->call_count);
  }
  return 1;
}

/* Counts a call that failed or that has nothing to tell; no argument of it is looked at. */
void sw_record_bare(struct sw_call *call) {
  sw_add_stats(call, SW_NO_COMM, SW_PEER_NONE, 0);
  end_record(call);
}

/* --- Calls of no other kind --------------------------------------------------------------------------------------- */

SW_RECORDER(plain) {
  (void)args;
  if (!sw_begin_record(call))
    return;
  if (rc == MPI_SUCCESS && event_flags(call))
    add_event(call, event_flags(call), SW_NO_COMM, SW_PEER_NONE, 0, SW_NO_SEQ, 0, 0, NULL, 0);
  sw_record_bare(call);
}

/* Asks whether something is done, and neither ends nor moves anything: counted, but no event. */
SW_RECORDER(poll) {
  (void)args;
  (void)rc;
  if (sw_begin_record(call))
    sw_record_bare(call);
}

/* Sleep, output and allocations: counted; of the second the next event tells. */
void sw_record_effect(struct sw_call *call, uint64_t bytes, int careful) {
  struct sw_thread *thread = call->thread;
  if (call->end < call->begin)
    call->end = call->begin;
  if (!sw_begin_recording(thread))
    return;
  call->path = careful ? sw_site_path(call) : sw_call_path(call);
  if (!sw_path_by_mpi(call->path)) { /* in a call that is not watched, MPI may do all of that, too */
    if (call->index == SW_CALL_PRINT || call->index == SW_CALL_WRITE)
      thread->effects |= call->index == SW_CALL_PRINT ? SW_EV_PRINT : SW_EV_OTHER_IO;
    sw_add_stats(call, SW_NO_COMM, SW_PEER_NONE, bytes);
  }
  sw_end_recording(thread);
}

/* The last call: where it stands, and no time, since it is not over before the shard is written. */
void sw_record_finalize(struct sw_call *call) {
  struct sw_thread *thread = call->thread;
  if (!sw_begin_recording(thread))
    return;
  call->end = call->begin;
  call->path = sw_call_path(call);
  sw_add_stats(call, SW_NO_COMM, SW_PEER_NONE, 0);
  sw_count(&sw_shard.header->call_count);
  sw_end_recording(thread);
}

/* A clock that is read over and over leaves one event per place, until something else happens. */
void sw_record_timer(struct sw_call *call) {
  if (!sw_begin_record(call))
    return;
  struct sw_thread *thread = call->thread;
  uint64_t count = events_so_far(thread);
  if (thread->timer_path != call->path || thread->timer_event != count) {
    add_event(call, SW_EV_TIMER, SW_NO_COMM, SW_PEER_NONE, 0, SW_NO_SEQ, 0, 0, NULL, 0);
    thread->timer_path = call->path;
    thread->timer_event = count + 1;
  }
  sw_record_bare(call);
}
