/* What is collective over a communicator, a window or a file, and access to the latter two. */
#include "record.h"

static inline int in_place(int binding, const void *buffer) {
  return binding == SW_BINDING_C ? buffer == MPI_IN_PLACE : sw_listed(sw_fortran_in_place, buffer);
}

static uint64_t file_number(const struct sw_op *args) {
  return args->binding == SW_BINDING_C ? (uint64_t)(uintptr_t)args->file
                                       : (uint64_t)(uintptr_t)sw_pmpi.File_f2c((MPI_Fint)args->file);
}

static uint64_t win_number(const struct sw_op *args) {
  return args->binding == SW_BINDING_C ? SW_NUMBER(SW_HANDLE(MPI_Win, args->win)) : SW_FROM_FORTRAN(Win, args->win);
}

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

/* Bytes of a number of elements; a negative one is an error of the program, which is its MPI's to tell. */
static uint64_t bytes_of(const struct sw_op *args, sw_handle type, int64_t count) {
  return count > 0 ? type_of(args->binding, type).bytes * (uint64_t)count : 0;
}

/* What this rank contributes where each gives the same to one or all: its own part of what is received if it stands
 * there already. */
static uint64_t given_bytes(const struct sw_call_info *info, const struct sw_op *args, const struct sw_comm_entry *comm,
                            int send_in_place) {
  int separate = info->has & SW_HAS_RECV_TYPE; /* the receive half has its own count and type */
  if (!send_in_place || !separate)
    return bytes_of(args, args->type, args->count);
  if (info->has & SW_HAS_RECV_COUNT)
    return bytes_of(args, args->recv_type, args->recv_count);
  if (info->has & SW_HAS_ROOT)
    return 0;
  /* MPI_Allgatherv in place */
  int rank = sw_shard.comms[comm->index].rank;
  return bytes_of(args, args->recv_type, count_at(args, args->recv_counts, (uint32_t)rank));
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
  uint64_t bytes = 0;
  int everyone = 1;
  switch (info->volume) {
  case SW_VOLUME_SEND:
    bytes = given_bytes(info, args, comm, send_in_place);
    break;
  case SW_VOLUME_SEND_SIZE:
    bytes = given_bytes(info, args, comm, send_in_place) * comm->size;
    break;
  case SW_VOLUME_SEND_NEIGHBOURS:
    bytes = given_bytes(info, args, comm, send_in_place) * comm->neighbours;
    break;
  case SW_VOLUME_RECV:
    if (!recv_in_place)
      bytes = bytes_of(args, args->recv_type, args->recv_count);
    else if (info->has & SW_HAS_COUNT) /* the root keeps its part: the others' are as large */
      bytes = bytes_of(args, args->type, args->count);
    break;
  case SW_VOLUME_RECV_SIZE:
    bytes = bytes_of(args, args->type, args->recv_count) * comm->size;
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
  if (!sw_begin_record(call))
    return;
  next_generation(&sw_collective_generation);
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  struct sw_request request = describe_collective(call, args, comm);
  request.serial = starts ? new_serial(call->thread) : 0;
  if (comm->index != SW_NO_COMM)
    request.seq = next_collective(comm->index);
  sw_add_stats(call, comm->index, request.peer, request.bytes);
  add_request_event(call, &request);
  if (starts)
    start_request(call, args, request);
  end_record(call);
}

SW_RECORDER(collective_init) {
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  struct sw_request request = describe_collective(call, args, comm);
  request.persistent = 1;
  request.binding = (uint8_t)args->binding;
  sw_request_add(call->thread, load_handle(args->binding, args->request, 0, SW_KIND_REQUEST), &request);
  sw_add_stats(call, comm->index, request.peer, request.bytes);
  end_record(call);
}

SW_RECORDER(collective) { record_collective(call, args, rc, 0); }

SW_RECORDER(collective_start) { record_collective(call, args, rc, 1); }

/* --- Communicators, windows, files -------------------------------------------------------------------------------- */

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
  next_generation(&sw_collective_generation);
  sw_add_stats(call, comm->index, SW_PEER_NONE, 0);
  add_request_event(call, &request);
  return request;
}

SW_RECORDER(comm_create) {
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_record_bare(call);
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
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_record_bare(call);
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
  if (!sw_begin_record(call))
    return;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_record_bare(call);
    return;
  }
  const struct sw_comm_entry *comm = comm_of(call, args);
  managed(call, comm, 0);
  sw_object_set(load_handle(args->binding, made, 0, kind), kind, comm->index);
  end_record(call);
}

static void record_close(struct sw_call *call, int rc, enum sw_handle_kind kind) {
  if (!sw_begin_record(call))
    return;
  uint32_t comm = (uint32_t)call->inline_handles[1];
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_object_set(call->inline_handles[0], kind, comm);
    sw_record_bare(call);
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
  if (sw_begin_record(call))
    sw_record_bare(call);
}

/* --- One-sided and files ------------------------------------------------------------------------------------------ */

static void record_access(struct sw_call *call, struct sw_op *args, int rc, const struct sw_comm_entry *comm,
                          int starts) {
  uint64_t bytes = 0;
  int32_t peer = call_has(call, SW_HAS_PEER) ? sw_world_rank(comm, args->peer) : SW_PEER_NONE;
  if (SW_UNLIKELY(rc != MPI_SUCCESS)) {
    sw_record_bare(call);
    return;
  }
  const void *address = call_has(call, SW_HAS_BUFFER) ? args->buffer : NULL;
  if (call_has(call, SW_HAS_TYPE) && peer != SW_PEER_NULL) {
    int64_t count = call_has(call, SW_HAS_COUNT) ? args->count : 1;
    bytes = count > 0 ? type_of(args->binding, args->type).bytes * (uint64_t)count : 0;
  }
  sw_add_stats(call, comm->index, peer, bytes);
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
  if (sw_begin_record(call))
    record_access(call, args, rc, sw_comm_at(sw_object_find(win_number(args), SW_KIND_WIN)), 0);
}

SW_RECORDER(rma_start) {
  if (sw_begin_record(call))
    record_access(call, args, rc, sw_comm_at(sw_object_find(win_number(args), SW_KIND_WIN)), 1);
}

SW_RECORDER(io) {
  if (sw_begin_record(call))
    record_access(call, args, rc, sw_comm_at(sw_object_find(file_number(args), SW_KIND_FILE)), 0);
}

SW_RECORDER(io_start) {
  if (sw_begin_record(call))
    record_access(call, args, rc, sw_comm_at(sw_object_find(file_number(args), SW_KIND_FILE)), 1);
}
