/* The ring of events: slots, runs of messages alike, hashes of payloads. */
#include "payload_hash.h"
#include "record.h"
#include <string.h>

uint64_t sw_next_slot;

#define BEING_WRITTEN UINT64_MAX

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
struct sw_event *sw_claim_event(struct sw_thread *thread) {
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

/* Of a large payload a sample: pieces of one cache line's length, evenly spaced, the first and the last bytes among
 * them. */
static __attribute__((noinline)) uint64_t sample_hash(const unsigned char *p, uint64_t bytes) {
  unsigned char sample[SW_HASH_BYTES];
  uint64_t step = (bytes - 64) / (SW_HASH_BYTES / 64 - 1);
  for (uint64_t i = 0; i < SW_HASH_BYTES / 64; ++i)
    memcpy(&sample[64 * i], p + (i + 1 < SW_HASH_BYTES / 64 ? i * step : bytes - 64), 64);
  return sw_hash_bytes(sample, sizeof sample);
}

uint64_t sw_payload_hash(const void *address, uint64_t bytes) {
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
void sw_add_message_event(const struct sw_call *call, uint32_t flags, uint32_t comm, int32_t peer, int32_t tag,
                          uint32_t seq, uint64_t bytes, const void *address, uint64_t hash_bytes, int in_burst) {
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
  keep_latest(call,
              add_event(call, flags, comm, peer, tag, seq, bytes, 0, address, sw_payload_hash(address, hash_bytes)),
              peer, tag);
  if (!plain)
    latest->count = UINT64_MAX;
}
