/* Inside record*.c: what is written down of each call, after it returned. Nothing here allocates, prints or looks up a
 * symbol. */
#ifndef STRIDEWISE_RECORD_H
#define STRIDEWISE_RECORD_H

#include "recorder.h"

#pragma GCC visibility push(hidden)

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
static inline uint64_t load_handle(int binding, const void *array, int i, enum sw_handle_kind kind) {
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

static inline int ignored(int binding, const void *status) {
  if (binding == SW_BINDING_C)
    return status == (const void *)MPI_STATUS_IGNORE || status == (const void *)MPI_STATUSES_IGNORE;
  return sw_listed(sw_fortran_ignore, status);
}

static inline uint64_t status_bytes(const MPI_Status *status) {
#ifdef OPEN_MPI
  return status->_ucount;
#else
  return (uint64_t)(uint32_t)status->count_lo | (uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32;
#endif
}

/* Messages of matched probes share the map; requests and messages of one MPI are never the same number at a time, but
 * nothing promises it. */
static inline uint64_t message_key(uint64_t handle) { return handle | UINT64_C(1) << 63; }

/* --- A call ------------------------------------------------------------------------------------------------------ */

static inline uint32_t event_flags(const struct sw_call *call) { return sw_call_info[call->index].flags; }

static inline int call_has(const struct sw_call *call, uint32_t what) { return sw_call_info[call->index].has & what; }

/* True when a test came back empty-handed: that is counted, but leaves no event, lest polling fills the ring. */
static inline int nothing_done(const struct sw_call *call, const struct sw_op *args) {
  return call_has(call, SW_HAS_FLAG) && !*args->flag;
}

/* record.c */
extern int sw_scratch_taken; /* by a call with more requests than fit into it */
int sw_begin_record(struct sw_call *call);
void sw_record_bare(struct sw_call *call);

static inline void end_record(struct sw_call *call) {
  if (SW_UNLIKELY(call->scratch))
    __atomic_store_n(&sw_scratch_taken, 0, __ATOMIC_RELEASE);
  sw_end_recording(call->thread);
  if (SW_UNLIKELY(call->slow))
    call->thread->away_ticks += sw_ticks() - call->end;
  call->thread->cfa = NULL;
}

/* --- record_events.c: the ring of events ------------------------------------------------------------------------- */

extern uint64_t sw_next_slot; /* where the next event goes */
struct sw_event *sw_claim_event(struct sw_thread *thread);
void sw_add_message_event(const struct sw_call *call, uint32_t flags, uint32_t comm, int32_t peer, int32_t tag,
                          uint32_t seq, uint64_t bytes, const void *address, uint64_t hash_bytes, int in_burst);
uint64_t sw_payload_hash(const void *address, uint64_t bytes);

/* Events so far, of which one run may go on only while no other comes in between: under MPI_THREAD_SERIALIZED those of
 * the thread. */
static inline uint64_t events_so_far(const struct sw_thread *thread) {
  return SW_UNLIKELY(sw_multiple) ? thread->events : sw_shard.header->event_count;
}

static inline uint32_t saturated(uint64_t bytes) { return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes; }

static inline int overwritten(uint64_t number) {
  uint64_t head = sw_shard.event_head;
  return number >= head &&
         __atomic_load_n(&sw_shard.header->event_count, __ATOMIC_RELAXED) - number > sw_shard.event_capacity - head;
}

/* If the ring has come round meanwhile, what was written belongs to no number: there is no event. */
static inline int publish_event(struct sw_event *event, uint64_t number, uint64_t begin) {
  int lost = overwritten(number);
  __atomic_store_n(&event->begin, lost ? 0 : begin, __ATOMIC_RELEASE);
  return !lost;
}

/* Inlined where it is called: most of what it is told is known there. */
static inline struct sw_event *add_event(const struct sw_call *call, uint32_t flags, uint32_t comm, int32_t peer,
                                         int32_t tag, uint32_t seq, uint64_t bytes, uint64_t request,
                                         const void *address, uint64_t hash) {
  struct sw_header *header = sw_shard.header;
  struct sw_event *event = SW_UNLIKELY(sw_multiple) ? sw_claim_event(call->thread) : &sw_shard.events[sw_next_slot];
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
  if (SW_UNLIKELY(++sw_next_slot == sw_shard.event_capacity))
    sw_next_slot = header->event_head;
  __atomic_store_n(&header->event_count, header->event_count + 1, __ATOMIC_RELEASE);
  return event;
}

static inline void add_request_event(const struct sw_call *call, const struct sw_request *request) {
  add_event(call, request->flags, request->comm, request->peer, request->tag, request->seq, request->bytes,
            request->serial, (const void *)(uintptr_t)request->address, 0);
}

/* --- record_totals.c: the table of totals ------------------------------------------------------------------------- */

#define SW_NO_SLOT UINT32_MAX
uint32_t sw_add_stats(const struct sw_call *call, uint32_t comm, int32_t peer, uint64_t bytes);

/* --- record_channels.c: numbers and bursts of messages ------------------------------------------------------- */

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

extern uint32_t sw_peer_generations[SW_GENERATIONS]; /* receives completed from a peer; a collision only ends a burst */
extern uint32_t sw_collective_generation;

extern struct channel sw_channels[SW_CHANNELS];
int sw_enter_channel(struct channel *channel, uint32_t comm, int32_t peer, int32_t tag, uint32_t receives);

static inline struct channel *channel_find(uint32_t comm, int32_t peer, int32_t tag, uint32_t receives) {
  if (SW_UNLIKELY(peer < 0 || comm == SW_NO_COMM))
    return NULL;
  uint64_t key = sw_mix(((uint64_t)comm << 32 | (uint32_t)peer) * 2 + receives, (uint64_t)(uint32_t)tag << 20);
  uint32_t home = (uint32_t)(key >> 24);
  for (uint32_t i = 0; i < 64; ++i) {
    struct channel *channel = &sw_channels[(home + i) & (SW_CHANNELS - 1)];
    if (SW_UNLIKELY(!__atomic_load_n(&channel->used, __ATOMIC_ACQUIRE)) &&
        !sw_enter_channel(channel, comm, peer, tag, receives))
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

/* Generations tell only whether something has happened meanwhile: two threads may count it once. */
static inline uint32_t generation(const uint32_t *counter) { return __atomic_load_n(counter, __ATOMIC_RELAXED); }

static inline void next_generation(uint32_t *counter) {
  __atomic_store_n(counter, __atomic_load_n(counter, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

static inline void received_from(int32_t peer) {
  if (peer >= 0)
    next_generation(&sw_peer_generations[(uint32_t)peer & (SW_GENERATIONS - 1)]);
}

static inline uint32_t next_collective(uint32_t comm) {
  uint64_t *count = &sw_shard.comms[comm].collectives;
  return (uint32_t)(SW_UNLIKELY(sw_multiple) ? __atomic_fetch_add(count, 1, __ATOMIC_RELAXED) : (*count)++);
}

/* --- record_messages.c, record_requests.c ------------------------------------------------------------------------ */

/* A message as its sender or receiver describes it. */
struct message {
  const void *address;
  uint64_t bytes;
  uint64_t hash_bytes;   /* how much of it can be hashed */
  uint64_t pieces, span; /* of a datatype with gaps, see sw_call_stats; else 0 */
};

/* A message that leaves: its totals, its channel and its event; its number in *seq_out if a request is to know it. */
void sw_sent(struct sw_call *call, uint32_t flags, const struct sw_comm_entry *comm, int32_t peer, int tag,
             const struct message *message, uint64_t request, uint32_t *seq_out, int hash);

static inline void start_request(const struct sw_call *call, const struct sw_op *args, struct sw_request request) {
  uint64_t handle = load_handle(args->binding, args->request, 0, SW_KIND_REQUEST);
  request.active = 1;
  request.binding = (uint8_t)args->binding;
  sw_request_add(call->thread, handle, &request);
}

static inline uint64_t new_serial(const struct sw_thread *thread) {
  if (__builtin_expect(!sw_multiple, 1))
    return ++sw_lanes[0].serial;
  return __atomic_add_fetch(&sw_lanes[thread->number].serial, 1, __ATOMIC_RELAXED) | (uint64_t)thread->number << 48;
}

#pragma GCC visibility pop
#endif
