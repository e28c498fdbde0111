/* Requests under way: what starts them, what completes them. */
#include "record.h"

static inline int status_cancelled(const MPI_Status *status) {
#ifdef OPEN_MPI
  return status->_cancelled;
#else
  return status->count_hi_and_cancelled & 1;
#endif
}

/* Takes back the latest number, if it is this one. */
static void return_seq(struct channel *channel, uint32_t seq) {
  uint32_t next = seq + 1;
  if (channel)
    __atomic_compare_exchange_n(&channel->seq, &next, seq, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
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

/* --- Starting ---------------------------------------------------------------------------------------------------- */

static uint32_t send_persistent(struct sw_call *call, const struct sw_request *request) {
  struct message message = {.address = (const void *)(uintptr_t)request->address,
                            .bytes = request->bytes,
                            .hash_bytes = request->hash_bytes,
                            .pieces = request->pieces,
                            .span = request->span};
  uint32_t seq;
  sw_sent(call, request->flags | SW_EV_START, sw_comm_at(request->comm), request->peer, request->tag, &message,
          request->serial, &seq, 1);
  return seq;
}

static uint32_t start_other(struct sw_call *call, const struct sw_request *request) {
  uint32_t flags = request->flags | SW_EV_START, seq = SW_NO_SEQ;
  if (flags & SW_EV_COLLECTIVE) {
    next_generation(&sw_collective_generation);
    if (request->comm != SW_NO_COMM)
      seq = next_collective(request->comm);
    sw_add_stats(call, request->comm, request->peer, request->bytes);
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
  if (!sw_begin_record(call))
    return;
  /* The totals of a start are those of its sends and collectives; one that starts none of them still counts. */
  int counted = 0;
  for (int i = 0; rc == MPI_SUCCESS && i < call->requests; ++i)
    counted += start_persistent(call, call->handles[i]);
  if (!counted)
    sw_add_stats(call, SW_NO_COMM, SW_PEER_NONE, 0);
  end_record(call);
}

static void record_ready(struct sw_call *call, const struct sw_op *args, int rc, int count) {
  if (!sw_begin_record(call))
    return;
  uint64_t handle = args->binding == SW_BINDING_C ? SW_NUMBER(SW_HANDLE(MPI_Request, args->request_value))
                                                  : SW_FROM_FORTRAN(Request, args->request_value);
  struct sw_request *request = rc == MPI_SUCCESS ? sw_request_hold(call->thread, handle) : NULL;
  if (!request || !request->active || !request->partitions_left || count <= 0) {
    sw_request_let_go(request);
    sw_record_bare(call);
    return;
  }
  request->partitions_left =
      (uint32_t)count < request->partitions_left ? request->partitions_left - (uint32_t)count : 0;
  struct sw_request copy = *request;
  sw_request_let_go(request);
  if (copy.partitions_left) {
    sw_add_stats(call, copy.comm, copy.peer, 0);
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

/* --- Completion -------------------------------------------------------------------------------------------------- */

/* A wait that failed may have completed some requests: forget those, nothing is known of them. */
static void forget_completed(struct sw_call *call, const struct sw_op *args, enum sw_how_many many) {
  const void *array = many == SW_MANY ? args->requests : args->request;
  for (int i = 0; i < call->requests; ++i)
    if (load_handle(args->binding, array, i, SW_KIND_REQUEST) == SW_NUMBER(sw_predefined.request_null))
      sw_request_drop(call->thread, call->handles[i]);
  sw_record_bare(call);
}

static void begin_wait(struct sw_call *call) {
  sw_add_stats(call, SW_NO_COMM, SW_PEER_NONE, 0);
  add_event(call, SW_EV_WAIT, SW_NO_COMM, SW_PEER_NONE, 0, SW_NO_SEQ, 0, 0, NULL, 0);
}

SW_RECORDER(wait) {
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    forget_completed(call, args, SW_ONE);
    return;
  }
  if (nothing_done(call, args)) {
    sw_record_bare(call);
    return;
  }
  begin_wait(call);
  complete(call, call->handles[0], args->status);
  end_record(call);
}

SW_RECORDER(waitall) {
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    forget_completed(call, args, SW_MANY);
    return;
  }
  if (nothing_done(call, args)) {
    sw_record_bare(call);
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
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    forget_completed(call, args, SW_MANY);
    return;
  }
  if (nothing_done(call, args)) {
    sw_record_bare(call);
    return;
  }
  begin_wait(call);
  int index = zero_based(args, *args->index);
  if (*args->index != MPI_UNDEFINED && index >= 0 && index < call->requests)
    complete(call, call->handles[index], args->status);
  end_record(call);
}

SW_RECORDER(waitsome) {
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    forget_completed(call, args, SW_MANY);
    return;
  }
  int count = *args->outcount;
  if (count == MPI_UNDEFINED || count <= 0) {
    sw_record_bare(call);
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
  if (!sw_begin_record(call))
    return;
  if (rc == MPI_SUCCESS)
    sw_request_drop(call->thread, call->inline_handles[0]);
  sw_record_bare(call);
}
