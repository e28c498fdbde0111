/* Messages: sends, receives, exchanges and probes. */
#include "record.h"
#include <string.h>

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
  if (SW_UNLIKELY(slot == SW_NO_SLOT))
    return 0;
  if (SW_UNLIKELY(sw_multiple) && __atomic_exchange_n(&channel->following, 1, __ATOMIC_ACQUIRE))
    return 0;
  struct sw_call_stats *stats = &sw_shard.table[slot];
  uint64_t where = (uint64_t)(uintptr_t)address, ticks = call->end - call->begin;
  uint32_t peer_generation = generation(&sw_peer_generations[(uint32_t)channel->peer & (SW_GENERATIONS - 1)]);
  uint32_t collectives = generation(&sw_collective_generation);
  int continues = 0;
  if (channel->burst_length && channel->burst_path == call->path && channel->peer_generation == peer_generation &&
      channel->collective_generation == collectives && channel->last_address != where &&
      channel->first_address != where && call->begin >= channel->last_end && channel->thread == call->thread->number &&
      call->thread->away_ticks - ticks >= channel->away_ticks) {
    uint64_t between = call->begin - channel->last_end, away = call->thread->away_ticks - ticks - channel->away_ticks;
    uint64_t computing = between > away ? between - away : 0;
    continues = computing <= sw_burst_gap_ticks || computing * stats->count <= SW_BURST_GAP_CALLS * stats->ticks;
  }
  if (continues) {
    uint32_t length = ++channel->burst_length;
    if (length == 2 && channel->first_slot != SW_NO_SLOT) {
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

void sw_sent(struct sw_call *call, uint32_t flags, const struct sw_comm_entry *comm, int32_t peer, int tag,
             const struct message *message, uint64_t request, uint32_t *seq_out, int hash) {
  uint32_t slot = sw_add_stats(call, comm->index, peer, message->bytes);
  if (SW_UNLIKELY(message->pieces) && slot != SW_NO_SLOT) {
    sw_shard.table[slot].pieces += message->pieces;
    sw_shard.table[slot].span += message->span;
  }
  struct channel *channel = channel_find(comm->index, peer, tag, 0);
  uint32_t seq = next_seq(channel);
  int in_burst = channel && !(flags & SW_EV_SENDRECV) && follow_burst(call, channel, slot, message->address);
  uint64_t hash_bytes = hash && peer != SW_PEER_NULL ? message->hash_bytes : 0;
  if (!seq_out) {
    sw_add_message_event(call, flags, comm->index, peer, tag, seq, message->bytes, message->address, hash_bytes,
                         in_burst);
    return;
  }
  add_event(call, flags, comm->index, peer, tag, seq, message->bytes, request, message->address,
            sw_payload_hash(message->address, hash_bytes));
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
  sw_add_message_event(call, flags, comm->index, peer, actual_tag, seq, peer == SW_PEER_NULL ? 0 : status_bytes(status),
                       buffer, 0, 0);
}

SW_RECORDER(send) {
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  struct message message = describe(args, args->buffer, args->count, args->type);
  sw_sent(call, event_flags(call), comm, sw_world_rank(comm, args->peer), args->tag, &message, 0, NULL, 1);
  end_record(call);
}

SW_RECORDER(send_start) {
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_record_bare(call);
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
  sw_sent(call, request.flags, comm, request.peer, args->tag, &message, request.serial, &request.seq, 1);
  start_request(call, args, request);
  end_record(call);
}

static void record_init(struct sw_call *call, struct sw_op *args, int rc, int partitions) {
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_record_bare(call);
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
  sw_add_stats(call, comm->index, request.peer, message.bytes);
  end_record(call);
}

SW_RECORDER(send_init) { record_init(call, args, rc, 0); }

SW_RECORDER(recv_init) { record_init(call, args, rc, 0); }

SW_RECORDER(psend_init) { record_init(call, args, rc, args->partitions); }

SW_RECORDER(precv_init) { record_init(call, args, rc, args->partitions); }

SW_RECORDER(recv) {
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  const MPI_Status *status = args->status;
  int null = args->peer == MPI_PROC_NULL;
  sw_add_stats(call, comm->index, sw_world_rank(comm, null ? args->peer : status->MPI_SOURCE),
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

SW_RECORDER(recv_start) {
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  struct message message = describe(args, args->buffer, args->count, args->type);
  struct sw_request request = posted(call, comm, args->peer, args->tag, &message);
  sw_add_stats(call, comm->index, request.peer, message.bytes);
  add_request_event(call, &request);
  start_request(call, args, request);
  end_record(call);
}

static void record_exchange(struct sw_call *call, struct sw_op *args, int rc, const void *recv_buffer, int hash) {
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  struct message message = describe(args, args->buffer, args->count, args->type);
  uint32_t flags = event_flags(call);
  sw_sent(call, flags & ~(uint32_t)SW_EV_RECV, comm, sw_world_rank(comm, args->peer), args->tag, &message, 0, NULL,
          hash);
  received(call, flags & ~(uint32_t)SW_EV_SEND, comm, args->recv_peer, args->recv_tag, recv_buffer, args->status);
  end_record(call);
}

SW_RECORDER(sendrecv) { record_exchange(call, args, rc, args->recv_buffer, 1); }

/* The buffer holds the received data by now: there is no payload left to hash. */
SW_RECORDER(sendrecv_replace) { record_exchange(call, args, rc, args->buffer, 0); }

static void start_exchange(struct sw_call *call, struct sw_op *args, int rc, const void *recv_buffer,
                           int64_t recv_count, sw_handle recv_type, int hash) {
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_record_bare(call);
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
  sw_sent(call, sending.flags, comm, sending.peer, args->tag, &out, sending.serial, &sending.seq, hash);
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
  if (!sw_begin_record(call))
    return;
  const MPI_Status *status = args->status;
  if (SW_UNLIKELY(rc != MPI_SUCCESS) || (call_has(call, SW_HAS_FLAG) && !*args->flag)) {
    sw_record_bare(call);
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
  sw_add_stats(call, comm->index, peer, bytes);
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
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_record_bare(call);
    return;
  }
  struct sw_request request = take_message(call, args);
  received_from(request.peer);
  sw_add_stats(call, request.comm, request.peer, request.bytes);
  add_request_event(call, &request);
  end_record(call);
}

SW_RECORDER(mrecv_start) {
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_record_bare(call);
    return;
  }
  struct sw_request request = take_message(call, args);
  request.serial = new_serial(call->thread);
  sw_add_stats(call, request.comm, request.peer, request.bytes);
  add_request_event(call, &request);
  start_request(call, args, request);
  end_record(call);
}
