/* What is written down of each call, after it returned. Nothing here allocates, prints or looks up a symbol. */
#include "payload_hash.h"
#include "recorder.h"
#include <string.h>

int sw_hash_payload;
uint64_t sw_burst_gap_ticks;
uint64_t sw_run_threshold;

/* One direction of one (communicator, peer, tag): counts messages and follows the burst in progress. The number is
 * atomic; of threads that send on one channel at the same time, one follows the burst. */
struct channel {
  uint32_t comm;
  int32_t peer;
  int32_t tag;
  uint32_t receives; /* 1: messages from peer, 0: to peer */
  uint32_t used;
  uint32_t seq;
  int following; /* a thread is at the burst */
  uint16_t thread;
  uint32_t burst_length;
  uint32_t burst_path;
  uint32_t first_slot; /* of the statistics, for the first message of the burst */
  uint32_t peer_generation, collective_generation;
  uint64_t first_address, last_address;
  uint64_t first_ticks;
  uint64_t last_end;
  uint64_t away_ticks; /* of the thread when the last message was sent */
};

static struct channel channels[SW_CHANNELS];
static uint32_t channel_count;
static uint32_t peer_generations[SW_GENERATIONS]; /* receives completed from a peer; a collision only ends a burst */
static uint32_t collective_generation;

static uint64_t next_slot; /* where the next event goes */

/* Whose entry in the table of totals: number of the thread + 1, or ALL_THREADS. Under MPI_THREAD_SERIALIZED only. */
static uint16_t owners[SW_TABLE_SLOTS];
#define ALL_THREADS UINT16_MAX

static uint64_t scratch_handles[SW_SCRATCH];
static MPI_Status scratch_statuses[SW_SCRATCH];
static int scratch_taken;

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

/* --- Handles and statuses ---------------------------------------------------------------------------------------- */

static inline uint64_t comm_number(const struct sw_op *args) {
  return args->binding == SW_BINDING_C ? SW_NUMBER(SW_HANDLE(MPI_Comm, args->comm)) : SW_FROM_FORTRAN(Comm, args->comm);
}

static inline const struct sw_comm_entry *comm_of(const struct sw_call *call, const struct sw_op *args) {
  return call->comm ? call->comm : sw_comm_find(comm_number(args));
}

static inline struct sw_type_info type_of(int binding, sw_handle type) {
  return sw_type_find(binding == SW_BINDING_C ? SW_NUMBER(SW_HANDLE(MPI_Datatype, type)) : SW_FROM_FORTRAN(Type, type));
}

/* The i-th handle of an array in memory; files are pointers in every MPI. */
static uint64_t load_handle(int binding, const void *array, int i, enum sw_handle_kind kind) {
  if (binding != SW_BINDING_C) {
    MPI_Fint value = ((const MPI_Fint *)array)[i];
    switch (kind) {
    case SW_KIND_REQUEST:
      return SW_FROM_FORTRAN(Request, value);
    case SW_KIND_MESSAGE:
      return SW_FROM_FORTRAN(Message, value);
    case SW_KIND_COMM:
      return SW_FROM_FORTRAN(Comm, value);
    case SW_KIND_WIN:
      return SW_FROM_FORTRAN(Win, value);
    case SW_KIND_TYPE:
      return SW_FROM_FORTRAN(Type, value);
    case SW_KIND_FILE:
      return (uint64_t)(uintptr_t)sw_pmpi.File_f2c(value);
    }
  }
  if (kind == SW_KIND_FILE)
    return (uint64_t)(uintptr_t)((const MPI_File *)array)[i];
  /* All other handles of one MPI have the same size and shape. */
  _Static_assert(sizeof(MPI_Request) == sizeof(MPI_Comm) && sizeof(MPI_Win) == sizeof(MPI_Comm) &&
                     sizeof(MPI_Datatype) == sizeof(MPI_Comm) && sizeof(MPI_Message) == sizeof(MPI_Comm),
                 "handles are alike");
  return SW_NUMBER(((const MPI_Request *)array)[i]);
}

static uint64_t file_number(const struct sw_op *args) {
  return args->binding == SW_BINDING_C ? (uint64_t)(uintptr_t)args->file
                                       : (uint64_t)(uintptr_t)sw_pmpi.File_f2c((MPI_Fint)args->file);
}

static uint64_t win_number(const struct sw_op *args) {
  return args->binding == SW_BINDING_C ? SW_NUMBER(SW_HANDLE(MPI_Win, args->win)) : SW_FROM_FORTRAN(Win, args->win);
}

static inline int ignored(int binding, const void *status) {
  if (binding == SW_BINDING_C)
    return status == (const void *)MPI_STATUS_IGNORE || status == (const void *)MPI_STATUSES_IGNORE;
  return sw_listed(sw_fortran_ignore, status);
}

static inline int in_place(int binding, const void *buffer) {
  return binding == SW_BINDING_C ? buffer == MPI_IN_PLACE : sw_listed(sw_fortran_in_place, buffer);
}

static inline uint64_t status_bytes(const MPI_Status *status) {
#ifdef OPEN_MPI
  return status->_ucount;
#else
  return (uint64_t)(uint32_t)status->count_lo | (uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32;
#endif
}

static inline int status_cancelled(const MPI_Status *status) {
#ifdef OPEN_MPI
  return status->_cancelled;
#else
  return status->count_hi_and_cancelled & 1;
#endif
}

/* --- Before the call -----------------------------------------------------------------------------------------------
 */

/* Messages of matched probes share the map; requests and messages of one MPI are never the same number at a time, but
 * nothing promises it. */
static uint64_t message_key(uint64_t handle) { return handle | UINT64_C(1) << 63; }

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
    if (count > (int)SW_SCRATCH || __atomic_exchange_n(&scratch_taken, 1, __ATOMIC_ACQUIRE)) {
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

/* --- Writing -------------------------------------------------------------------------------------------------------
 */

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
static inline int begin_record(struct sw_call *call) {
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

static inline void end_record(struct sw_call *call) {
  if (SW_UNLIKELY(call->scratch))
    __atomic_store_n(&scratch_taken, 0, __ATOMIC_RELEASE);
  sw_end_recording(call->thread);
  if (SW_UNLIKELY(call->slow))
    call->thread->away_ticks += sw_ticks() - call->end;
  call->thread->cfa = NULL;
}

/* Events so far, of which one run may go on only while no other comes in between: under MPI_THREAD_SERIALIZED those of
 * the thread. */
static inline uint64_t events_so_far(const struct sw_thread *thread) {
  return SW_UNLIKELY(sw_multiple) ? thread->events : sw_shard.header->event_count;
}

static inline uint64_t new_serial(const struct sw_thread *thread) {
  if (__builtin_expect(!sw_multiple, 1))
    return ++sw_lanes[0].serial;
  return __atomic_add_fetch(&sw_lanes[thread->number].serial, 1, __ATOMIC_RELAXED) | (uint64_t)thread->number << 48;
}

static inline uint32_t saturated(uint64_t bytes) { return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes; }

#define BEING_WRITTEN UINT64_MAX

static inline int overwritten(uint64_t number) {
  uint64_t head = sw_shard.event_head;
  return number >= head &&
         __atomic_load_n(&sw_shard.header->event_count, __ATOMIC_RELAXED) - number > sw_shard.event_capacity - head;
}

static inline struct sw_event *slot_of(uint64_t number) {
  uint64_t head = sw_shard.event_head, capacity = sw_shard.event_capacity;
  return &sw_shard.events[number < capacity ? number : head + (number - head) % (capacity - head)];
}

static inline struct sw_event *slot_behind(struct sw_event *event) {
  return ++event == sw_shard.events + sw_shard.event_capacity ? sw_shard.events + sw_shard.event_head : event;
}

static inline int take_slot(struct sw_event *event) {
  return __atomic_exchange_n(&event->begin, BEING_WRITTEN, __ATOMIC_ACQ_REL) != BEING_WRITTEN;
}

/* Numbers are handed out to threads some at a time. Those that a thread comes not to use are no events, whatever was
 * there before. */
static __attribute__((noinline)) void take_numbers(struct sw_thread *thread) {
  enum { NUMBERS = 8 };
  thread->next_number = __atomic_fetch_add(&sw_shard.header->event_count, NUMBERS, __ATOMIC_RELAXED);
  thread->end_number = thread->next_number + NUMBERS;
  thread->next_event = slot_of(thread->next_number);
  if (thread->end_number <= sw_shard.event_capacity)
    return;
  struct sw_event *event = thread->next_event;
  for (int i = 0; i < NUMBERS; ++i, event = slot_behind(event))
    if (take_slot(event))
      __atomic_store_n(&event->begin, 0, __ATOMIC_RELEASE);
}

/* A slot for the next event, which is this thread's until its begin is set again. A thread may lose its processor for
 * so long that the ring comes round to the slot that it is writing to: that slot is left to it. */
static __attribute__((noinline)) struct sw_event *claim_event(struct sw_thread *thread) {
  ++thread->events;
  for (;;) {
    if (thread->next_number == thread->end_number)
      take_numbers(thread);
    struct sw_event *event = thread->next_event;
    thread->latest_number = thread->next_number++;
    thread->next_event = slot_behind(event);
    if (take_slot(event))
      return event;
  }
}

/* If the ring has come round meanwhile, what was written belongs to no number: there is no event. */
static inline int publish_event(struct sw_event *event, uint64_t number, uint64_t begin) {
  int lost = overwritten(number);
  __atomic_store_n(&event->begin, lost ? 0 : begin, __ATOMIC_RELEASE);
  return !lost;
}

static inline struct sw_event *add_event(const struct sw_call *call, uint32_t flags, uint32_t comm, int32_t peer,
                                         int32_t tag, uint32_t seq, uint64_t bytes, uint64_t request,
                                         const void *address, uint64_t hash) {
  struct sw_header *header = sw_shard.header;
  struct sw_event *event = SW_UNLIKELY(sw_multiple) ? claim_event(call->thread) : &sw_shard.events[next_slot];
  event->end = call->end;
  event->flags = flags | call->thread->effects;
  call->thread->effects = 0;
  event->call = call->index;
  event->thread = call->thread->number;
  event->path = call->path;
  event->comm = comm;
  event->peer = peer;
  event->tag = tag;
  event->seq = seq;
  event->bytes32 = saturated(bytes);
  event->request = request;
  event->address = (uint64_t)(uintptr_t)address;
  event->hash = hash;
  if (SW_UNLIKELY(sw_multiple)) {
    if (SW_UNLIKELY(!publish_event(event, call->thread->latest_number, call->begin)))
      call->thread->next_number = call->thread->end_number; /* the others are as old */
    return event;
  }
  event->begin = call->begin;
  if (SW_UNLIKELY(++next_slot == sw_shard.event_capacity))
    next_slot = header->event_head;
  __atomic_store_n(&header->event_count, header->event_count + 1, __ATOMIC_RELEASE);
  return event;
}

/* Of a large payload a sample: pieces of one cache line's length, evenly spaced, the first and the last bytes among
 * them. */
static __attribute__((noinline)) uint64_t sample_hash(const unsigned char *p, uint64_t bytes) {
  unsigned char sample[SW_HASH_BYTES];
  uint64_t step = (bytes - 64) / (SW_HASH_BYTES / 64 - 1);
  for (uint64_t i = 0; i < SW_HASH_BYTES / 64; ++i)
    memcpy(&sample[64 * i], p + (i + 1 < SW_HASH_BYTES / 64 ? i * step : bytes - 64), 64);
  return sw_hash_bytes(sample, sizeof sample);
}

static inline uint64_t payload_hash(const void *address, uint64_t bytes) {
  if (SW_UNLIKELY(bytes > SW_HASH_BYTES))
    return sample_hash(address, bytes);
  return bytes ? sw_hash_bytes(address, bytes) : 0;
}

static inline void keep_latest(const struct sw_call *call, struct sw_event *event, int32_t peer, int32_t tag) {
  struct sw_latest *latest = &call->thread->latest;
  latest->event = event;
  latest->number = call->thread->latest_number;
  latest->begin = call->begin;
  latest->path = call->path;
  latest->peer = peer;
  latest->tag = tag;
  latest->count = events_so_far(call->thread);
}

/* Takes the slot of the latest message again, to change it; false if the ring has come round to it. */
static __attribute__((noinline)) int hold_latest(const struct sw_latest *latest) {
  uint64_t begin = __atomic_exchange_n(&latest->event->begin, BEING_WRITTEN, __ATOMIC_ACQ_REL);
  if (begin == BEING_WRITTEN)
    return 0;
  if (begin == latest->begin && !overwritten(latest->number))
    return 1;
  __atomic_store_n(&latest->event->begin, begin, __ATOMIC_RELEASE);
  return 0;
}

/* Goes on from the latest message, which is alike in path, peer and tag: its run grows, or it begins one. False when
 * this message needs an event like any other. */
static __attribute__((noinline)) int extend_run(const struct sw_call *call, uint32_t as_run, uint32_t comm,
                                                uint32_t seq, uint64_t bytes, const void *address) {
  struct sw_latest *latest = &call->thread->latest;
  struct sw_event *last = latest->event;
  uint32_t kind = as_run & (SW_EV_SEND | SW_EV_RECV);
  if (last->comm != comm || last->bytes32 != saturated(bytes) || last->call != call->index ||
      last->thread != call->thread->number || (last->flags & (SW_EV_SEND | SW_EV_RECV)) != kind) {
    latest->alike = 1;
    return 0;
  }
  if (++latest->alike <= sw_run_threshold)
    return 0;
  uint64_t ticks = call->end - call->begin;
  if (last->flags == as_run &&
      (seq == SW_NO_SEQ ? last->repeat < SW_NO_SEQ : seq == (uint64_t)last->seq + last->repeat)) {
    last->address = (uint64_t)(uintptr_t)address;
    last->run_ticks += ticks;
    last->end = call->end;
    __atomic_store_n(&last->repeat, last->repeat + 1, __ATOMIC_RELEASE);
    return 1;
  }
  keep_latest(call, add_event(call, as_run, comm, latest->peer, latest->tag, seq, bytes, 1, address, ticks),
              latest->peer, latest->tag);
  return 1;
}

/* A blocking message. Only plain ones from a named source (flags is SEND or RECV alone) and of a known number, or with
 * MPI_PROC_NULL, make up runs. */
static inline void add_message_event(const struct sw_call *call, uint32_t flags, uint32_t comm, int32_t peer,
                                     int32_t tag, uint32_t seq, uint64_t bytes, const void *address,
                                     uint64_t hash_bytes, int in_burst) {
  struct sw_latest *latest = &call->thread->latest;
  int plain = (flags == SW_EV_SEND || flags == SW_EV_RECV) && (seq != SW_NO_SEQ || peer == SW_PEER_NULL);
  int goes_on = plain && !call->thread->effects && latest->count == events_so_far(call->thread) &&
                latest->path == call->path && latest->peer == peer && latest->tag == tag;
  if (goes_on && SW_UNLIKELY(sw_multiple))
    goes_on = hold_latest(latest);
  if (goes_on) {
    const struct sw_latest before = *latest;
    int done = extend_run(call, flags | SW_EV_RUN | (in_burst ? SW_EV_BURST : 0), comm, seq, bytes, address);
    if (SW_UNLIKELY(sw_multiple))
      publish_event(before.event, before.number, before.begin);
    if (done)
      return;
  } else {
    latest->alike = 1;
  }
  keep_latest(call, add_event(call, flags, comm, peer, tag, seq, bytes, 0, address, payload_hash(address, hash_bytes)),
              peer, tag);
  if (!plain)
    latest->count = UINT64_MAX;
}

#define NO_SLOT UINT32_MAX

static inline void name_stats(struct sw_call_stats *slot, const struct sw_call *call, uint16_t bucket, uint32_t comm,
                              int32_t peer) {
  slot->call = call->index;
  slot->size_bucket = bucket;
  slot->path = call->path;
  slot->comm = comm;
  slot->peer = peer;
  slot->first_ticks = call->begin;
}

static inline int stats_are(const struct sw_call_stats *slot, const struct sw_call *call, uint16_t bucket,
                            uint32_t comm, int32_t peer) {
  return slot->call == call->index && slot->size_bucket == bucket && slot->path == call->path && slot->comm == comm &&
         slot->peer == peer;
}

static inline void add_to_stats(struct sw_call_stats *slot, uint64_t begin, uint64_t ticks, uint64_t bytes) {
  slot->ticks += ticks;
  slot->ticks_max = ticks > slot->ticks_max ? ticks : slot->ticks_max;
  slot->bytes += bytes;
  slot->last_ticks = begin;
  __atomic_store_n(&slot->count, slot->count + 1, __ATOMIC_RELEASE);
}

static void add_to_shared_stats(struct sw_call_stats *slot, uint64_t begin, uint64_t ticks, uint64_t bytes) {
  uint64_t most = __atomic_load_n(&slot->ticks_max, __ATOMIC_RELAXED);
  __atomic_fetch_add(&slot->ticks, ticks, __ATOMIC_RELAXED);
  while (ticks > most &&
         !__atomic_compare_exchange_n(&slot->ticks_max, &most, ticks, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  __atomic_fetch_add(&slot->bytes, bytes, __ATOMIC_RELAXED);
  __atomic_store_n(&slot->last_ticks, begin, __ATOMIC_RELAXED);
  __atomic_fetch_add(&slot->count, 1, __ATOMIC_RELEASE);
}

/* The entry of an owner, or a new one; NO_SLOT if there is neither. One of all threads that is still being named is
 * passed by: then there are two, which a reader adds up. */
static inline uint32_t find_stats(const struct sw_call *call, uint16_t owner, uint32_t home, uint16_t bucket,
                                  uint32_t comm, int32_t peer) {
  uint64_t *used = &sw_shard.table_section->used;
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t index = (home + i) & (SW_TABLE_SLOTS - 1);
    struct sw_call_stats *slot = &sw_shard.table[index];
    uint16_t there = __atomic_load_n(&owners[index], __ATOMIC_ACQUIRE);
    if (SW_UNLIKELY(!there)) {
      if (owner != ALL_THREADS && __atomic_load_n(used, __ATOMIC_RELAXED) >= SW_TABLE_SLOTS / 2)
        return NO_SLOT;
      if (__atomic_compare_exchange_n(&owners[index], &there, owner, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        __atomic_fetch_add(used, 1, __ATOMIC_RELAXED);
        name_stats(slot, call, bucket, comm, peer);
        return index;
      }
    }
    if (there == owner && (owner != ALL_THREADS || __atomic_load_n(&slot->count, __ATOMIC_ACQUIRE)) &&
        stats_are(slot, call, bucket, comm, peer))
      return index;
  }
  return NO_SLOT;
}

/* As add_stats, under MPI_THREAD_SERIALIZED: a thread has its own entries, which nobody else writes to. When half of
 * the table is taken, and for threads without a number of their own, new entries are for all threads. They follow no
 * bursts.
 */
static __attribute__((noinline)) uint32_t add_thread_stats(const struct sw_call *call, uint32_t home, uint16_t bucket,
                                                           uint32_t comm, int32_t peer, uint64_t bytes) {
  uint64_t ticks = call->end - call->begin;
  uint32_t number = call->thread->number, index = NO_SLOT;
  if (number != SW_THREADS)
    index = find_stats(call, (uint16_t)(number + 1), home ^ number * 97, bucket, comm, peer);
  if (__builtin_expect(index != NO_SLOT, 1)) {
    add_to_stats(&sw_shard.table[index], call->begin, ticks, bytes);
    return index;
  }
  index = find_stats(call, ALL_THREADS, home, bucket, comm, peer);
  if (index == NO_SLOT)
    sw_count(&sw_shard.header->dropped_calls);
  else
    add_to_shared_stats(&sw_shard.table[index], call->begin, ticks, bytes);
  return NO_SLOT;
}

/* Adds the call to the totals; returns its slot. */
static inline uint32_t add_stats(const struct sw_call *call, uint32_t comm, int32_t peer, uint64_t bytes) {
  uint16_t bucket = bytes ? (uint16_t)(64 - __builtin_clzll(bytes)) : 0;
  uint64_t what = (uint64_t)call->index | (uint64_t)bucket << 16 | (uint64_t)call->path << 32;
  uint64_t with = (uint64_t)comm | (uint64_t)(uint32_t)peer << 32;
  uint32_t home = (uint32_t)(sw_mix(sw_mix(what, UINT64_C(0x2545f4914f6cdd1d)), with) >> 32);
  if (SW_UNLIKELY(sw_multiple))
    return add_thread_stats(call, home, bucket, comm, peer, bytes);
  uint64_t ticks = call->end - call->begin;
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t index = (home + i) & (SW_TABLE_SLOTS - 1);
    struct sw_call_stats *slot = &sw_shard.table[index];
    if (__builtin_expect(slot->count != 0, 1)) {
      if (!stats_are(slot, call, bucket, comm, peer))
        continue;
    } else {
      name_stats(slot, call, bucket, comm, peer);
      ++sw_shard.table_section->used;
    }
    add_to_stats(slot, call->begin, ticks, bytes);
    return index;
  }
  ++sw_shard.header->dropped_calls;
  return NO_SLOT;
}

/* Enters a channel in a free place, unless another thread was faster. False if there is no room. */
static __attribute__((noinline)) int channel_enter(struct channel *channel, uint32_t comm, int32_t peer, int32_t tag,
                                                   uint32_t receives) {
  sw_lock();
  int room = channel->used || channel_count < SW_CHANNELS / 4 * 3;
  if (room && !channel->used) {
    ++channel_count;
    channel->comm = comm;
    channel->peer = peer;
    channel->tag = tag;
    channel->receives = receives;
    __atomic_store_n(&channel->used, 1, __ATOMIC_RELEASE);
  }
  sw_unlock();
  return room;
}

static inline struct channel *channel_find(uint32_t comm, int32_t peer, int32_t tag, uint32_t receives) {
  if (SW_UNLIKELY(peer < 0 || comm == SW_NO_COMM))
    return NULL;
  uint64_t key = sw_mix(((uint64_t)comm << 32 | (uint32_t)peer) * 2 + receives, (uint64_t)(uint32_t)tag << 20);
  uint32_t home = (uint32_t)(key >> 24);
  for (uint32_t i = 0; i < 64; ++i) {
    struct channel *channel = &channels[(home + i) & (SW_CHANNELS - 1)];
    if (SW_UNLIKELY(!__atomic_load_n(&channel->used, __ATOMIC_ACQUIRE)) &&
        !channel_enter(channel, comm, peer, tag, receives))
      return NULL;
    if (channel->peer == peer && channel->tag == tag && channel->comm == comm && channel->receives == receives)
      return channel;
  }
  return NULL;
}

static inline uint32_t next_seq(struct channel *channel) {
  if (!channel)
    return SW_NO_SEQ;
  return SW_UNLIKELY(sw_multiple) ? __atomic_fetch_add(&channel->seq, 1, __ATOMIC_RELAXED) : channel->seq++;
}

/* Takes back the latest number, if it is this one. */
static void return_seq(struct channel *channel, uint32_t seq) {
  uint32_t next = seq + 1;
  if (channel)
    __atomic_compare_exchange_n(&channel->seq, &next, seq, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Generations tell only whether something has happened meanwhile: that two threads may count it once does not matter.
 */
static inline uint32_t generation(const uint32_t *counter) { return __atomic_load_n(counter, __ATOMIC_RELAXED); }

static inline void next_generation(uint32_t *counter) {
  __atomic_store_n(counter, __atomic_load_n(counter, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

/* A message as its sender or receiver describes it. */
struct message {
  const void *address;
  uint64_t bytes;
  uint64_t hash_bytes;   /* how much of it can be hashed */
  uint64_t pieces, span; /* of a datatype with gaps, see sw_call_stats; else 0 */
};

static inline struct message describe(const struct sw_op *args, const void *buffer, int64_t count, sw_handle type) {
  int binding = args->binding;
  struct message message = {.address = buffer};
  if (count <= 0)
    return message;
  struct sw_type_info info = type_of(binding, type);
  message.bytes = info.bytes * (uint64_t)count;
  if (binding != SW_BINDING_C && sw_listed(sw_fortran_bottom, buffer))
    buffer = NULL;
  message.address = (const void *)((uintptr_t)buffer + (uintptr_t)info.lower_bound);
  if (info.contiguous && !args->section && sw_hash_payload)
    message.hash_bytes = message.bytes;
  if (SW_UNLIKELY(info.pieces)) {
    message.pieces = info.pieces * (uint64_t)count;
    message.span = info.span + info.pitch * (uint64_t)(count - 1);
  }
  return message;
}

/* Follows the bursts of a channel. A message continues the burst if the program could have sent it together with the
 * one before: another buffer, the same path, nothing learned from others in between, and no long computation. Returns
 * whether it does. */
static inline int follow_burst(const struct sw_call *call, struct channel *channel, uint32_t slot,
                               const void *address) {
  if (SW_UNLIKELY(slot == NO_SLOT))
    return 0;
  if (SW_UNLIKELY(sw_multiple) && __atomic_exchange_n(&channel->following, 1, __ATOMIC_ACQUIRE))
    return 0;
  struct sw_call_stats *stats = &sw_shard.table[slot];
  uint64_t where = (uint64_t)(uintptr_t)address, ticks = call->end - call->begin;
  uint32_t peer_generation = generation(&peer_generations[(uint32_t)channel->peer & (SW_GENERATIONS - 1)]);
  uint32_t collectives = generation(&collective_generation);
  int continues = 0;
  if (channel->burst_length && channel->burst_path == call->path && channel->peer_generation == peer_generation &&
      channel->collective_generation == collectives && channel->last_address != where &&
      channel->first_address != where && call->begin >= channel->last_end && channel->thread == call->thread->number &&
      call->thread->away_ticks - ticks >= channel->away_ticks) {
    uint64_t between = call->begin - channel->last_end, away = call->thread->away_ticks - ticks - channel->away_ticks;
    uint64_t computing = between > away ? between - away : 0;
    continues = computing <= sw_burst_gap_ticks || computing * stats->count <= 4 * stats->ticks;
  }
  if (continues) {
    uint32_t length = ++channel->burst_length;
    if (length == 2 && channel->first_slot != NO_SLOT) {
      sw_shard.table[channel->first_slot].burst_count += 1;
      sw_shard.table[channel->first_slot].burst_ticks += channel->first_ticks;
    }
    stats->burst_count += 1;
    stats->burst_ticks += ticks;
    if (length > stats->burst_max)
      stats->burst_max = length;
  } else {
    channel->burst_length = 1;
    channel->burst_path = call->path;
    channel->first_slot = slot;
    channel->first_address = where;
    channel->first_ticks = ticks;
    channel->peer_generation = peer_generation;
    channel->collective_generation = collectives;
    stats->bursts += 1;
    if (!stats->burst_max)
      stats->burst_max = 1;
  }
  channel->last_address = where;
  channel->last_end = call->end;
  channel->away_ticks = call->thread->away_ticks;
  channel->thread = call->thread->number;
  if (SW_UNLIKELY(sw_multiple))
    __atomic_store_n(&channel->following, 0, __ATOMIC_RELEASE);
  return continues;
}

static inline void received_from(int32_t peer) {
  if (peer >= 0)
    next_generation(&peer_generations[(uint32_t)peer & (SW_GENERATIONS - 1)]);
}

static inline uint32_t event_flags(const struct sw_call *call) { return sw_call_info[call->index].flags; }

static inline int call_has(const struct sw_call *call, uint32_t what) { return sw_call_info[call->index].has & what; }

static inline uint32_t next_collective(uint32_t comm) {
  uint64_t *count = &sw_shard.comms[comm].collectives;
  return (uint32_t)(SW_UNLIKELY(sw_multiple) ? __atomic_fetch_add(count, 1, __ATOMIC_RELAXED) : (*count)++);
}

/* Counts a call that failed or that has nothing to tell; no argument of it is looked at. */
static void record_bare(struct sw_call *call) {
  add_stats(call, SW_NO_COMM, SW_PEER_NONE, 0);
  end_record(call);
}

/* --- Requests under way ------------------------------------------------------------------------------------------ */

static void start_request(const struct sw_call *call, const struct sw_op *args, struct sw_request request) {
  uint64_t handle = load_handle(args->binding, args->request, 0, SW_KIND_REQUEST);
  request.active = 1;
  request.binding = (uint8_t)args->binding;
  sw_request_add(call->thread, handle, &request);
}

/* True if the other half of the request has to be completed, too. */
static int complete_one(const struct sw_call *call, uint64_t handle, const MPI_Status *status) {
  struct sw_request copy, *request = &copy;
  if (SW_UNLIKELY(sw_multiple)) {
    if (handle == SW_NUMBER(sw_predefined.request_null) || !sw_request_take(call->thread, handle, &copy))
      return 0;
  } else {
    request = sw_request_find(handle);
  }
  if (!request || !request->active)
    return 0;
  uint32_t flags = (request->flags & ~(uint32_t)SW_EV_START) | SW_EV_COMPLETE;
  int32_t peer = request->peer, tag = request->tag;
  uint64_t bytes = request->bytes;
  uint32_t seq = request->seq;
  if (flags & SW_EV_RECV) {
    if (status && status_cancelled(status)) {
      if (!(flags & (SW_EV_ANY_SOURCE | SW_EV_ANY_TAG)))
        return_seq(channel_find(request->comm, peer, tag, 1), seq);
      seq = SW_NO_SEQ;
      bytes = 0;
    } else if (request->half) {
      received_from(peer);
    } else if (status && peer != SW_PEER_NULL) {
      const struct sw_comm_entry *comm = sw_comm_at(request->comm);
      peer = sw_world_rank(comm, status->MPI_SOURCE);
      tag = request->partitions ? tag : status->MPI_TAG;
      bytes = status_bytes(status);
      if (flags & (SW_EV_ANY_SOURCE | SW_EV_ANY_TAG) && seq == SW_NO_SEQ)
        seq = next_seq(channel_find(request->comm, peer, tag, 1));
      received_from(peer);
    }
  }
  if (request->new_handle && request->new_comm != SW_NO_COMM)
    sw_object_set(load_handle(request->binding, request->new_handle, 0, SW_KIND_COMM), SW_KIND_COMM, request->new_comm);
  add_event(call, flags, request->comm, peer, tag, seq, bytes, request->serial, (const void *)request->address, 0);
  int pair = request->pair;
  if (SW_UNLIKELY(sw_multiple))
    return pair;
  if (request->persistent)
    request->active = 0;
  else
    sw_request_remove(handle);
  return pair;
}

static inline void complete(const struct sw_call *call, uint64_t handle, const MPI_Status *status) {
  if (complete_one(call, handle, status))
    complete_one(call, handle, status);
}

/* --- Messages ------------------------------------------------------------------------------------------------------
 */

static inline void sent(struct sw_call *call, uint32_t flags, const struct sw_comm_entry *comm, int32_t peer, int tag,
                        const struct message *message, uint64_t request, uint32_t *seq_out, int hash) {
  uint32_t slot = add_stats(call, comm->index, peer, message->bytes);
  if (SW_UNLIKELY(message->pieces) && slot != NO_SLOT) {
    sw_shard.table[slot].pieces += message->pieces;
    sw_shard.table[slot].span += message->span;
  }
  struct channel *channel = channel_find(comm->index, peer, tag, 0);
  uint32_t seq = next_seq(channel);
  int in_burst = channel && !(flags & SW_EV_SENDRECV) && follow_burst(call, channel, slot, message->address);
  uint64_t hash_bytes = hash && peer != SW_PEER_NULL ? message->hash_bytes : 0;
  if (!seq_out) {
    add_message_event(call, flags, comm->index, peer, tag, seq, message->bytes, message->address, hash_bytes, in_burst);
    return;
  }
  add_event(call, flags, comm->index, peer, tag, seq, message->bytes, request, message->address,
            payload_hash(message->address, hash_bytes));
  *seq_out = seq;
}

/* What a finished receive says of its message. */
static inline void received(const struct sw_call *call, uint32_t flags, const struct sw_comm_entry *comm, int source,
                            int tag, const void *buffer, const MPI_Status *status) {
  if (source == MPI_ANY_SOURCE)
    flags |= SW_EV_ANY_SOURCE;
  if (tag == MPI_ANY_TAG)
    flags |= SW_EV_ANY_TAG;
  int32_t peer = sw_world_rank(comm, source == MPI_PROC_NULL ? source : status->MPI_SOURCE);
  int actual_tag = peer == SW_PEER_NULL ? tag : status->MPI_TAG;
  uint32_t seq = next_seq(channel_find(comm->index, peer, actual_tag, 1));
  received_from(peer);
  add_message_event(call, flags, comm->index, peer, actual_tag, seq, peer == SW_PEER_NULL ? 0 : status_bytes(status),
                    buffer, 0, 0);
}

SW_RECORDER(send) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  struct message message = describe(args, args->buffer, args->count, args->type);
  sent(call, event_flags(call), comm, sw_world_rank(comm, args->peer), args->tag, &message, 0, NULL, 1);
  end_record(call);
}

SW_RECORDER(send_start) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  struct message message = describe(args, args->buffer, args->count, args->type);
  struct sw_request request = {.serial = new_serial(call->thread),
                               .address = (uint64_t)(uintptr_t)message.address,
                               .bytes = message.bytes,
                               .flags = event_flags(call),
                               .comm = comm->index,
                               .peer = sw_world_rank(comm, args->peer),
                               .tag = args->tag};
  sent(call, request.flags, comm, request.peer, args->tag, &message, request.serial, &request.seq, 1);
  start_request(call, args, request);
  end_record(call);
}

static void record_init(struct sw_call *call, struct sw_op *args, int rc, int partitions) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  int64_t count = partitions > 0 ? args->count * partitions : args->count;
  struct message message = describe(args, args->buffer, count, args->type);
  uint32_t flags = event_flags(call);
  if (flags & SW_EV_RECV)
    flags |= (args->peer == MPI_ANY_SOURCE ? SW_EV_ANY_SOURCE : 0) | (args->tag == MPI_ANY_TAG ? SW_EV_ANY_TAG : 0);
  struct sw_request request = {.address = (uint64_t)(uintptr_t)message.address,
                               .hash_bytes = flags & SW_EV_SEND ? message.hash_bytes : 0,
                               .pieces = message.pieces,
                               .span = message.span,
                               .bytes = message.bytes,
                               .flags = flags,
                               .comm = comm->index,
                               .peer = sw_world_rank(comm, args->peer),
                               .tag = partitions > 0 ? args->tag + SW_TAG_PARTITIONED : args->tag,
                               .seq = SW_NO_SEQ,
                               .partitions = partitions > 0 ? (uint32_t)partitions : 0,
                               .persistent = 1,
                               .binding = (uint8_t)args->binding};
  sw_request_add(call->thread, load_handle(args->binding, args->request, 0, SW_KIND_REQUEST), &request);
  add_stats(call, comm->index, request.peer, message.bytes);
  end_record(call);
}

SW_RECORDER(send_init) { record_init(call, args, rc, 0); }

SW_RECORDER(recv_init) { record_init(call, args, rc, 0); }

SW_RECORDER(psend_init) { record_init(call, args, rc, args->partitions); }

SW_RECORDER(precv_init) { record_init(call, args, rc, args->partitions); }

SW_RECORDER(recv) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  const MPI_Status *status = args->status;
  int null = args->peer == MPI_PROC_NULL;
  add_stats(call, comm->index, sw_world_rank(comm, null ? args->peer : status->MPI_SOURCE),
            null ? 0 : status_bytes(status));
  received(call, event_flags(call), comm, args->peer, args->tag, args->buffer, status);
  end_record(call);
}

static struct sw_request posted(const struct sw_call *call, const struct sw_comm_entry *comm, int source, int tag,
                                const struct message *message) {
  uint32_t flags = event_flags(call);
  flags |= (source == MPI_ANY_SOURCE ? SW_EV_ANY_SOURCE : 0) | (tag == MPI_ANY_TAG ? SW_EV_ANY_TAG : 0);
  struct sw_request request = {.serial = new_serial(call->thread),
                               .address = (uint64_t)(uintptr_t)message->address,
                               .bytes = message->bytes,
                               .flags = flags,
                               .comm = comm->index,
                               .peer = sw_world_rank(comm, source),
                               .tag = tag,
                               .seq = SW_NO_SEQ};
  if (!(flags & (SW_EV_ANY_SOURCE | SW_EV_ANY_TAG)))
    request.seq = next_seq(channel_find(comm->index, request.peer, tag, 1));
  return request;
}

static void add_request_event(const struct sw_call *call, const struct sw_request *request) {
  add_event(call, request->flags, request->comm, request->peer, request->tag, request->seq, request->bytes,
            request->serial, (const void *)(uintptr_t)request->address, 0);
}

SW_RECORDER(recv_start) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  struct message message = describe(args, args->buffer, args->count, args->type);
  struct sw_request request = posted(call, comm, args->peer, args->tag, &message);
  add_stats(call, comm->index, request.peer, message.bytes);
  add_request_event(call, &request);
  start_request(call, args, request);
  end_record(call);
}

static void record_exchange(struct sw_call *call, struct sw_op *args, int rc, const void *recv_buffer, int hash) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  struct message message = describe(args, args->buffer, args->count, args->type);
  uint32_t flags = event_flags(call);
  sent(call, flags & ~(uint32_t)SW_EV_RECV, comm, sw_world_rank(comm, args->peer), args->tag, &message, 0, NULL, hash);
  received(call, flags & ~(uint32_t)SW_EV_SEND, comm, args->recv_peer, args->recv_tag, recv_buffer, args->status);
  end_record(call);
}

SW_RECORDER(sendrecv) { record_exchange(call, args, rc, args->recv_buffer, 1); }

/* The buffer holds the received data by now: there is no payload left to hash. */
SW_RECORDER(sendrecv_replace) { record_exchange(call, args, rc, args->buffer, 0); }

static void start_exchange(struct sw_call *call, struct sw_op *args, int rc, const void *recv_buffer,
                           int64_t recv_count, sw_handle recv_type, int hash) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  struct message out = describe(args, args->buffer, args->count, args->type);
  struct message in = describe(args, recv_buffer, recv_count, recv_type);
  struct sw_request sending = {.serial = new_serial(call->thread),
                               .address = (uint64_t)(uintptr_t)out.address,
                               .bytes = out.bytes,
                               .flags = event_flags(call) & ~(uint32_t)SW_EV_RECV,
                               .comm = comm->index,
                               .peer = sw_world_rank(comm, args->peer),
                               .tag = args->tag,
                               .pair = 1};
  sent(call, sending.flags, comm, sending.peer, args->tag, &out, sending.serial, &sending.seq, hash);
  struct sw_request receiving = posted(call, comm, args->recv_peer, args->recv_tag, &in);
  receiving.flags &= ~(uint32_t)SW_EV_SEND;
  receiving.half = 1;
  add_request_event(call, &receiving);
  start_request(call, args, sending);
  start_request(call, args, receiving);
  end_record(call);
}

SW_RECORDER(isendrecv) { start_exchange(call, args, rc, args->recv_buffer, args->recv_count, args->recv_type, 1); }

/* The buffer may hold received data by now: there is no payload left to hash. */
SW_RECORDER(isendrecv_replace) { start_exchange(call, args, rc, args->buffer, args->count, args->type, 0); }

static void record_probe(struct sw_call *call, struct sw_op *args, int rc, int matched) {
  if (!begin_record(call))
    return;
  const MPI_Status *status = args->status;
  if (SW_UNLIKELY(rc != MPI_SUCCESS) || (call_has(call, SW_HAS_FLAG) && !*args->flag)) {
    record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  uint32_t flags = event_flags(call);
  flags |= (args->peer == MPI_ANY_SOURCE ? SW_EV_ANY_SOURCE : 0) | (args->tag == MPI_ANY_TAG ? SW_EV_ANY_TAG : 0);
  int null = args->peer == MPI_PROC_NULL;
  int32_t peer = sw_world_rank(comm, null ? args->peer : status->MPI_SOURCE);
  int tag = null ? args->tag : status->MPI_TAG;
  uint64_t bytes = null ? 0 : status_bytes(status);
  uint32_t seq = SW_NO_SEQ;
  if (matched) {
    uint64_t handle = load_handle(args->binding, args->message, 0, SW_KIND_MESSAGE);
    seq = next_seq(channel_find(comm->index, peer, tag, 1));
    if (handle != SW_NUMBER(sw_predefined.message_no_proc) && handle != SW_NUMBER(sw_predefined.message_null)) {
      struct sw_request request = {.flags = flags & (SW_EV_ANY_SOURCE | SW_EV_ANY_TAG),
                                   .comm = comm->index,
                                   .peer = peer,
                                   .tag = tag,
                                   .seq = seq,
                                   .bytes = bytes};
      sw_request_add(call->thread, message_key(handle), &request);
    }
  }
  add_stats(call, comm->index, peer, bytes);
  add_event(call, flags, comm->index, peer, tag, seq, bytes, 0, NULL, 0);
  end_record(call);
}

SW_RECORDER(probe) { record_probe(call, args, rc, 0); }

SW_RECORDER(mprobe) { record_probe(call, args, rc, 1); }

static struct sw_request take_message(const struct sw_call *call, const struct sw_op *args) {
  struct sw_request request;
  memcpy(&request, call->inline_handles, sizeof request);
  request.next = request.last = 0;
  request.flags |= event_flags(call);
  request.address = (uint64_t)(uintptr_t)args->buffer;
  return request;
}

SW_RECORDER(mrecv) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    record_bare(call);
    return;
  }
  struct sw_request request = take_message(call, args);
  received_from(request.peer);
  add_stats(call, request.comm, request.peer, request.bytes);
  add_request_event(call, &request);
  end_record(call);
}

SW_RECORDER(mrecv_start) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    record_bare(call);
    return;
  }
  struct sw_request request = take_message(call, args);
  request.serial = new_serial(call->thread);
  add_stats(call, request.comm, request.peer, request.bytes);
  add_request_event(call, &request);
  start_request(call, args, request);
  end_record(call);
}

static uint32_t send_persistent(struct sw_call *call, const struct sw_request *request) {
  struct message message = {.address = (const void *)(uintptr_t)request->address,
                            .bytes = request->bytes,
                            .hash_bytes = request->hash_bytes,
                            .pieces = request->pieces,
                            .span = request->span};
  uint32_t seq;
  sent(call, request->flags | SW_EV_START, sw_comm_at(request->comm), request->peer, request->tag, &message,
       request->serial, &seq, 1);
  return seq;
}

static uint32_t start_other(struct sw_call *call, const struct sw_request *request) {
  uint32_t flags = request->flags | SW_EV_START, seq = SW_NO_SEQ;
  if (flags & SW_EV_COLLECTIVE) {
    next_generation(&collective_generation);
    if (request->comm != SW_NO_COMM)
      seq = next_collective(request->comm);
    add_stats(call, request->comm, request->peer, request->bytes);
  } else if (!(flags & (SW_EV_ANY_SOURCE | SW_EV_ANY_TAG))) {
    seq = next_seq(channel_find(request->comm, request->peer, request->tag, 1));
  }
  add_event(call, flags, request->comm, request->peer, request->tag, seq, request->bytes, request->serial,
            (const void *)(uintptr_t)request->address, 0);
  return seq;
}

/* Returns whether the call was added to the totals. The program cannot complete what this call has not yet returned
 * from starting, so the request may wait for its number until the event is written. */
static int start_persistent(struct sw_call *call, uint64_t handle) {
  struct sw_request *request = sw_request_hold(call->thread, handle);
  if (!request)
    return 0;
  int late = request->partitions && request->flags & SW_EV_SEND; /* it leaves when its last partition is ready */
  if (request->persistent) {
    request->active = 1;
    request->serial = new_serial(call->thread);
    request->partitions_left = request->partitions;
  }
  struct sw_request copy = *request;
  sw_request_let_go(request);
  if (!copy.persistent || late)
    return 0;
  uint32_t seq = copy.flags & SW_EV_SEND ? send_persistent(call, &copy) : start_other(call, &copy);
  request = sw_request_hold(call->thread, handle);
  if (request)
    request->seq = seq;
  sw_request_let_go(request);
  return (copy.flags & (SW_EV_SEND | SW_EV_COLLECTIVE)) != 0;
}

static void record_start(struct sw_call *call, int rc) {
  if (!begin_record(call))
    return;
  /* The totals of a start are those of its sends and collectives; one that starts none of them still counts. */
  int counted = 0;
  for (int i = 0; rc == MPI_SUCCESS && i < call->requests; ++i)
    counted += start_persistent(call, call->handles[i]);
  if (!counted)
    add_stats(call, SW_NO_COMM, SW_PEER_NONE, 0);
  end_record(call);
}

static void record_ready(struct sw_call *call, const struct sw_op *args, int rc, int count) {
  if (!begin_record(call))
    return;
  uint64_t handle = args->binding == SW_BINDING_C ? SW_NUMBER(SW_HANDLE(MPI_Request, args->request_value))
                                                  : SW_FROM_FORTRAN(Request, args->request_value);
  struct sw_request *request = rc == MPI_SUCCESS ? sw_request_hold(call->thread, handle) : NULL;
  if (!request || !request->active || !request->partitions_left || count <= 0) {
    sw_request_let_go(request);
    record_bare(call);
    return;
  }
  request->partitions_left =
      (uint32_t)count < request->partitions_left ? request->partitions_left - (uint32_t)count : 0;
  struct sw_request copy = *request;
  sw_request_let_go(request);
  if (copy.partitions_left) {
    add_stats(call, copy.comm, copy.peer, 0);
  } else {
    copy.seq = send_persistent(call, &copy);
    request = sw_request_hold(call->thread, handle);
    if (request)
      request->seq = copy.seq;
    sw_request_let_go(request);
  }
  end_record(call);
}

SW_RECORDER(pready) { record_ready(call, args, rc, 1); }

SW_RECORDER(pready_range) { record_ready(call, args, rc, args->partition_high - args->partition_low + 1); }

SW_RECORDER(pready_list) { record_ready(call, args, rc, args->n); }

SW_RECORDER(start) {
  (void)args;
  record_start(call, rc);
}

SW_RECORDER(startall) {
  (void)args;
  record_start(call, rc);
}

/* --- Completion ----------------------------------------------------------------------------------------------------
 */

/* A wait that failed may have completed some requests: forget those, nothing is known of them. */
static void forget_completed(struct sw_call *call, const struct sw_op *args, enum sw_how_many many) {
  const void *array = many == SW_MANY ? args->requests : args->request;
  for (int i = 0; i < call->requests; ++i)
    if (load_handle(args->binding, array, i, SW_KIND_REQUEST) == SW_NUMBER(sw_predefined.request_null))
      sw_request_drop(call->thread, call->handles[i]);
  record_bare(call);
}

static void begin_wait(struct sw_call *call) {
  add_stats(call, SW_NO_COMM, SW_PEER_NONE, 0);
  add_event(call, SW_EV_WAIT, SW_NO_COMM, SW_PEER_NONE, 0, SW_NO_SEQ, 0, 0, NULL, 0);
}

/* True when a test came back empty-handed: that is counted, but leaves no event, lest polling fills the ring. */
static inline int nothing_done(const struct sw_call *call, const struct sw_op *args) {
  return call_has(call, SW_HAS_FLAG) && !*args->flag;
}

SW_RECORDER(wait) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    forget_completed(call, args, SW_ONE);
    return;
  }
  if (nothing_done(call, args)) {
    record_bare(call);
    return;
  }
  begin_wait(call);
  complete(call, call->handles[0], args->status);
  end_record(call);
}

SW_RECORDER(waitall) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    forget_completed(call, args, SW_MANY);
    return;
  }
  if (nothing_done(call, args)) {
    record_bare(call);
    return;
  }
  begin_wait(call);
  const MPI_Status *statuses = ignored(args->binding, args->statuses) ? NULL : args->statuses;
  for (int i = 0; i < call->requests; ++i)
    complete(call, call->handles[i], statuses ? &statuses[i] : NULL);
  end_record(call);
}

static inline int zero_based(const struct sw_op *args, int index) {
  if (args->binding == SW_BINDING_C)
    return index;
  return args->binding == SW_BINDING_F08 ? index - sw_f08_first_index : index - 1;
}

SW_RECORDER(waitany) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    forget_completed(call, args, SW_MANY);
    return;
  }
  if (nothing_done(call, args)) {
    record_bare(call);
    return;
  }
  begin_wait(call);
  int index = zero_based(args, *args->index);
  if (*args->index != MPI_UNDEFINED && index >= 0 && index < call->requests)
    complete(call, call->handles[index], args->status);
  end_record(call);
}

SW_RECORDER(waitsome) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    forget_completed(call, args, SW_MANY);
    return;
  }
  int count = *args->outcount;
  if (count == MPI_UNDEFINED || count <= 0) {
    record_bare(call);
    return;
  }
  begin_wait(call);
  const MPI_Status *statuses = ignored(args->binding, args->statuses) ? NULL : args->statuses;
  for (int i = 0; i < count; ++i) {
    int index = zero_based(args, args->indices[i]);
    if (index >= 0 && index < call->requests)
      complete(call, call->handles[index], statuses ? &statuses[i] : NULL);
  }
  end_record(call);
}

SW_RECORDER(request_free) {
  (void)args;
  if (!begin_record(call))
    return;
  if (rc == MPI_SUCCESS)
    sw_request_drop(call->thread, call->inline_handles[0]);
  record_bare(call);
}

/* --- Collectives ---------------------------------------------------------------------------------------------------
 */

static inline int64_t count_at(const struct sw_op *args, const void *counts, uint32_t i) {
  return args->wide_counts ? ((const int64_t *)counts)[i] : ((const int *)counts)[i];
}

/* Bytes over all members, each with its own count; *everyone tells whether none of the counts is 0. */
static uint64_t sum_bytes(const struct sw_call *call, const struct sw_op *args, const struct sw_comm_entry *comm,
                          const void *counts, int one_type, sw_handle type, const void *types, int *everyone) {
  uint64_t bytes = 0;
  int neighbours = sw_call_info[call->index].volume == SW_VOLUME_SUM_NEIGHBOURS;
  uint32_t members = neighbours ? comm->neighbours : comm->size;
  uint64_t element = one_type ? type_of(args->binding, type).bytes : 0;
  *everyone = 1;
  for (uint32_t i = 0; i < members; ++i) {
    int64_t count = count_at(args, counts, i);
    if (count <= 0) {
      *everyone = 0;
      continue;
    }
    if (!one_type)
      element = sw_type_find(load_handle(args->binding, types, (int)i, SW_KIND_TYPE)).bytes;
    bytes += element * (uint64_t)count;
  }
  return bytes;
}

/* Bytes that this rank contributes; clears *full_sync where the arguments let somebody leave early. Arguments that have
 * no meaning (MPI_IN_PLACE, another rank than the root, the other group of an intercommunicator) are not looked at. */
static uint64_t collective_bytes(const struct sw_call *call, const struct sw_op *args, const struct sw_comm_entry *comm,
                                 int *full_sync) {
  const struct sw_call_info *info = &sw_call_info[call->index];
  if (info->volume == SW_VOLUME_NONE)
    return 0;
  if (comm->inter || comm->index == SW_NO_COMM) {
    *full_sync = 0;
    return 0;
  }
  int send_in_place = info->has & SW_HAS_BUFFER && in_place(args->binding, args->buffer);
  int recv_in_place = info->has & SW_HAS_RECV_BUFFER && in_place(args->binding, args->recv_buffer);
  int separate = info->has & SW_HAS_RECV_TYPE; /* the receive half has its own count and type */
  uint64_t bytes = 0;
  int everyone = 1;
  switch (info->volume) {
  case SW_VOLUME_SEND:
  case SW_VOLUME_SEND_SIZE:
  case SW_VOLUME_SEND_NEIGHBOURS:
    if (!send_in_place || !separate) {
      bytes = args->count > 0 ? type_of(args->binding, args->type).bytes * (uint64_t)args->count : 0;
    } else if (info->has & SW_HAS_RECV_COUNT) {
      bytes = args->recv_count > 0 ? type_of(args->binding, args->recv_type).bytes * (uint64_t)args->recv_count : 0;
    } else if (!(info->has & SW_HAS_ROOT)) { /* MPI_Allgatherv in place */
      int rank = sw_shard.comms[comm->index].rank;
      int64_t count = count_at(args, args->recv_counts, (uint32_t)rank);
      bytes = count > 0 ? type_of(args->binding, args->recv_type).bytes * (uint64_t)count : 0;
    }
    if (info->volume == SW_VOLUME_SEND_SIZE)
      bytes *= comm->size;
    else if (info->volume == SW_VOLUME_SEND_NEIGHBOURS)
      bytes *= comm->neighbours;
    break;
  case SW_VOLUME_RECV:
    if (recv_in_place) /* the root keeps its part: the others' are as large */
      bytes = info->has & SW_HAS_COUNT && args->count > 0
                  ? type_of(args->binding, args->type).bytes * (uint64_t)args->count
                  : 0;
    else
      bytes = args->recv_count > 0 ? type_of(args->binding, args->recv_type).bytes * (uint64_t)args->recv_count : 0;
    break;
  case SW_VOLUME_RECV_SIZE:
    bytes = args->recv_count > 0 ? type_of(args->binding, args->type).bytes * (uint64_t)args->recv_count : 0;
    bytes *= comm->size;
    break;
  case SW_VOLUME_SUM_SEND:
  case SW_VOLUME_SUM_NEIGHBOURS:
    if (send_in_place)
      bytes = sum_bytes(call, args, comm, args->recv_counts, !(info->has & SW_HAS_RECV_TYPES), args->recv_type,
                        args->recv_types, &everyone);
    else
      bytes =
          sum_bytes(call, args, comm, args->counts, !(info->has & SW_HAS_TYPES), args->type, args->types, &everyone);
    break;
  case SW_VOLUME_SUM_RECV:
    bytes = sum_bytes(call, args, comm, args->recv_counts, 1, args->type, NULL, &everyone);
    break;
  default:
    break;
  }
  if (!bytes || !everyone)
    *full_sync = 0;
  return bytes;
}

/* How a collective was called; seq and serial are those of its start. */
static struct sw_request describe_collective(const struct sw_call *call, const struct sw_op *args,
                                             const struct sw_comm_entry *comm) {
  uint32_t flags = event_flags(call);
  int full_sync = 1;
  uint64_t bytes = collective_bytes(call, args, comm, &full_sync);
  if (!full_sync)
    flags &= ~(uint32_t)SW_EV_FULL_SYNC;
  int32_t root = SW_PEER_NONE;
  if (call_has(call, SW_HAS_ROOT))
    root = comm->inter ? SW_PEER_OTHER : sw_world_rank(comm, args->root);
  const void *address = call_has(call, SW_HAS_BUFFER) && !in_place(args->binding, args->buffer) ? args->buffer : NULL;
  return (struct sw_request){.address = (uint64_t)(uintptr_t)address,
                             .bytes = bytes,
                             .flags = flags,
                             .comm = comm->index,
                             .peer = root,
                             .seq = SW_NO_SEQ};
}

static void record_collective(struct sw_call *call, struct sw_op *args, int rc, int starts) {
  if (!begin_record(call))
    return;
  next_generation(&collective_generation);
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  struct sw_request request = describe_collective(call, args, comm);
  request.serial = starts ? new_serial(call->thread) : 0;
  if (comm->index != SW_NO_COMM)
    request.seq = next_collective(comm->index);
  add_stats(call, comm->index, request.peer, request.bytes);
  add_request_event(call, &request);
  if (starts)
    start_request(call, args, request);
  end_record(call);
}

SW_RECORDER(collective_init) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  struct sw_request request = describe_collective(call, args, comm);
  request.persistent = 1;
  request.binding = (uint8_t)args->binding;
  sw_request_add(call->thread, load_handle(args->binding, args->request, 0, SW_KIND_REQUEST), &request);
  add_stats(call, comm->index, request.peer, request.bytes);
  end_record(call);
}

SW_RECORDER(collective) { record_collective(call, args, rc, 0); }

SW_RECORDER(collective_start) { record_collective(call, args, rc, 1); }

/* --- Communicators, windows, files ---------------------------------------------------------------------------------
 */

/* The event of a call that is collective over comm and makes or frees something. */
static struct sw_request managed(struct sw_call *call, const struct sw_comm_entry *comm, int starts) {
  uint32_t flags = event_flags(call);
  struct sw_request request = {.serial = starts ? new_serial(call->thread) : 0,
                               .flags = flags,
                               .comm = comm->index,
                               .peer = SW_PEER_NONE,
                               .seq = SW_NO_SEQ,
                               .new_comm = SW_NO_COMM};
  if (flags & SW_EV_COLLECTIVE && comm->index != SW_NO_COMM)
    request.seq = next_collective(comm->index);
  next_generation(&collective_generation);
  add_stats(call, comm->index, SW_PEER_NONE, 0);
  add_request_event(call, &request);
  return request;
}

SW_RECORDER(comm_create) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  managed(call, comm, 0);
  uint64_t made = load_handle(args->binding, args->new_comm, 0, SW_KIND_COMM);
  if (made != SW_NUMBER(sw_predefined.comm_null))
    sw_comm_register(made, comm);
  end_record(call);
}

SW_RECORDER(comm_create_start) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  struct sw_request request = managed(call, comm, 1);
  /* All members call in the same order; they may complete in any, so the id is settled here. */
  request.new_comm = sw_comm_reserve_duplicate(comm);
  request.new_handle = args->new_comm;
  start_request(call, args, request);
  end_record(call);
}

static void record_open(struct sw_call *call, struct sw_op *args, int rc, const void *made, enum sw_handle_kind kind) {
  if (!begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  managed(call, comm, 0);
  sw_object_set(load_handle(args->binding, made, 0, kind), kind, comm->index);
  end_record(call);
}

static void record_close(struct sw_call *call, int rc, enum sw_handle_kind kind) {
  if (!begin_record(call))
    return;
  uint32_t comm = (uint32_t)call->inline_handles[1];
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_object_set(call->inline_handles[0], kind, comm);
    record_bare(call);
    return;
  }
  managed(call, sw_comm_at(comm), 0);
  end_record(call);
}

SW_RECORDER(comm_free) {
  (void)args;
  record_close(call, rc, SW_KIND_COMM);
}

SW_RECORDER(win_create) { record_open(call, args, rc, args->new_win, SW_KIND_WIN); }

SW_RECORDER(file_open) { record_open(call, args, rc, args->new_file, SW_KIND_FILE); }

SW_RECORDER(win_free) {
  (void)args;
  record_close(call, rc, SW_KIND_WIN);
}

SW_RECORDER(file_close) {
  (void)args;
  record_close(call, rc, SW_KIND_FILE);
}

SW_RECORDER(type_free) {
  (void)args;
  (void)rc;
  if (begin_record(call))
    record_bare(call);
}

/* --- One-sided and files -------------------------------------------------------------------------------------------
 */

static void record_access(struct sw_call *call, struct sw_op *args, int rc, const struct sw_comm_entry *comm,
                          int starts) {
  uint64_t bytes = 0;
  int32_t peer = call_has(call, SW_HAS_PEER) ? sw_world_rank(comm, args->peer) : SW_PEER_NONE;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    record_bare(call);
    return;
  }
  const void *address = call_has(call, SW_HAS_BUFFER) ? args->buffer : NULL;
  if (call_has(call, SW_HAS_TYPE) && peer != SW_PEER_NULL) {
    int64_t count = call_has(call, SW_HAS_COUNT) ? args->count : 1;
    bytes = count > 0 ? type_of(args->binding, args->type).bytes * (uint64_t)count : 0;
  }
  add_stats(call, comm->index, peer, bytes);
  if (!nothing_done(call, args)) {
    struct sw_request request = {.serial = starts ? new_serial(call->thread) : 0,
                                 .address = (uint64_t)(uintptr_t)address,
                                 .bytes = bytes,
                                 .flags = event_flags(call),
                                 .comm = comm->index,
                                 .peer = peer,
                                 .seq = SW_NO_SEQ};
    add_request_event(call, &request);
    if (starts)
      start_request(call, args, request);
  }
  end_record(call);
}

SW_RECORDER(rma) {
  if (begin_record(call))
    record_access(call, args, rc, sw_comm_at(sw_object_find(win_number(args), SW_KIND_WIN)), 0);
}

SW_RECORDER(rma_start) {
  if (begin_record(call))
    record_access(call, args, rc, sw_comm_at(sw_object_find(win_number(args), SW_KIND_WIN)), 1);
}

SW_RECORDER(io) {
  if (begin_record(call))
    record_access(call, args, rc, sw_comm_at(sw_object_find(file_number(args), SW_KIND_FILE)), 0);
}

SW_RECORDER(io_start) {
  if (begin_record(call))
    record_access(call, args, rc, sw_comm_at(sw_object_find(file_number(args), SW_KIND_FILE)), 1);
}

/* --- Others --------------------------------------------------------------------------------------------------------
 */

SW_RECORDER(plain) {
  (void)args;
  if (!begin_record(call))
    return;
  if (rc == MPI_SUCCESS && event_flags(call))
    add_event(call, event_flags(call), SW_NO_COMM, SW_PEER_NONE, 0, SW_NO_SEQ, 0, 0, NULL, 0);
  record_bare(call);
}

/* Asks whether something is done, and neither ends nor moves anything: counted, but no event. */
SW_RECORDER(poll) {
  (void)args;
  (void)rc;
  if (begin_record(call))
    record_bare(call);
}

/* Sleep and output: counted, and said by the next event. */
void sw_record_effect(struct sw_call *call, uint64_t bytes, int careful) {
  struct sw_thread *thread = call->thread;
  if (call->end < call->begin)
    call->end = call->begin;
  if (!sw_begin_recording(thread))
    return;
  call->path = careful ? sw_site_path(call) : sw_call_path(call);
  if (!sw_path_by_mpi(call->path)) { /* in a call that is not watched, MPI may sleep and write as well */
    if (call->index != SW_CALL_SLEEP)
      thread->effects |= call->index == SW_CALL_PRINT ? SW_EV_PRINT : SW_EV_OTHER_IO;
    add_stats(call, SW_NO_COMM, SW_PEER_NONE, bytes);
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
  add_stats(call, SW_NO_COMM, SW_PEER_NONE, 0);
  sw_count(&sw_shard.header->call_count);
  sw_end_recording(thread);
}

/* A clock that is read over and over leaves one event per place, until something else happens. */
void sw_record_timer(struct sw_call *call) {
  if (!begin_record(call))
    return;
  struct sw_thread *thread = call->thread;
  uint64_t count = events_so_far(thread);
  if (thread->timer_path != call->path || thread->timer_event != count) {
    add_event(call, SW_EV_TIMER, SW_NO_COMM, SW_PEER_NONE, 0, SW_NO_SEQ, 0, 0, NULL, 0);
    thread->timer_path = call->path;
    thread->timer_event = count + 1;
  }
  record_bare(call);
}
