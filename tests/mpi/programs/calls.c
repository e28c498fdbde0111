/* Two ranks make every call that moves data, waits or makes something of several ranks, each with a known result.
 * -DLARGE: by the twins with large counts, where the MPI has them. Prints a checksum. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#ifdef LARGE
#define L(name) MPI_##name##_c
typedef MPI_Count count_t;
typedef MPI_Aint place_t;
#else
#define L(name) MPI_##name
typedef int count_t;
typedef int place_t;
#endif

enum { N = 256 };
static int rank, peer;
static double a[N], b[N], sum;
static MPI_Comm world;
static MPI_Request request, requests[4];
static MPI_Status status, statuses[4];

static void check(int count) {
  for (int i = 0; i < count; ++i)
    sum += b[i];
  memset(b, 0, sizeof b);
}

/* Blocking sends to a posted receive, and the same sends non-blocking. */
static void sends(void) {
#define SEND(name, start, mode)                                                                                        \
  L(Irecv)(b, 4, MPI_DOUBLE, peer, mode, world, &request);                                                             \
  MPI_Barrier(world);                                                                                                  \
  L(name)(a, 4, MPI_DOUBLE, peer, mode, world);                                                                        \
  MPI_Wait(&request, &status);                                                                                         \
  check(4);                                                                                                            \
  L(Irecv)(b, 3, MPI_DOUBLE, peer, mode, world, &requests[0]);                                                         \
  MPI_Barrier(world);                                                                                                  \
  L(start)(a, 3, MPI_DOUBLE, peer, mode, world, &requests[1]);                                                         \
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);                                                                       \
  check(3);                                                                                                            \
  L(Recv_init)(b, 5, MPI_DOUBLE, peer, mode, world, &requests[0]);                                                     \
  L(name##_init)(a, 5, MPI_DOUBLE, peer, mode, world, &requests[1]);                                                   \
  MPI_Start(&requests[0]);                                                                                             \
  MPI_Barrier(world);                                                                                                  \
  MPI_Startall(1, &requests[1]);                                                                                       \
  MPI_Waitall(2, requests, statuses);                                                                                  \
  check(5);                                                                                                            \
  MPI_Request_free(&requests[0]);                                                                                      \
  MPI_Request_free(&requests[1]);

  static char space[4096];
  void *detached;
  count_t bytes;
  L(Buffer_attach)(space, sizeof space);
  SEND(Send, Isend, 1)
  SEND(Bsend, Ibsend, 2)
  SEND(Ssend, Issend, 3)
  SEND(Rsend, Irsend, 4)
  L(Buffer_detach)(&detached, &bytes);
  sum += bytes == sizeof space;
  if (rank == 0)
    L(Send)(a, 2, MPI_DOUBLE, 1, 5, world);
  else
    L(Recv)(b, 2, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
  check(2);
  L(Sendrecv)(a, 6, MPI_DOUBLE, peer, 6, b, 6, MPI_DOUBLE, peer, 6, world, MPI_STATUS_IGNORE);
  L(Sendrecv_replace)(b, 6, MPI_DOUBLE, peer, 7, peer, 7, world, &status);
  check(6);
#if MPI_VERSION >= 4
  L(Isendrecv)(a, 6, MPI_DOUBLE, peer, 8, b, 6, MPI_DOUBLE, peer, 8, world, &request);
  MPI_Wait(&request, &status);
  L(Isendrecv_replace)(b, 6, MPI_DOUBLE, peer, 9, peer, 9, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(6);
#endif
}

static void probes(void) {
  MPI_Message message;
  int flag = 0;
  MPI_Isend(a, 2, MPI_DOUBLE, peer, 20, world, &request);
  MPI_Probe(peer, 20, world, &status);
  do
    MPI_Iprobe(MPI_ANY_SOURCE, 20, world, &flag, MPI_STATUS_IGNORE);
  while (!flag);
  MPI_Mprobe(peer, 20, world, &message, &status);
  L(Mrecv)(b, 2, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(2);
  MPI_Isend(a, 2, MPI_DOUBLE, peer, 21, world, &request);
  do
    MPI_Improbe(MPI_ANY_SOURCE, 21, world, &flag, &message, MPI_STATUS_IGNORE);
  while (!flag);
  L(Imrecv)(b, 2, MPI_DOUBLE, &message, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(2);
}

static void completions(void) {
  int flag, index, count, indices[4], done;
#define START(tag)                                                                                                     \
  MPI_Irecv(b, 1, MPI_DOUBLE, peer, tag, world, &requests[0]);                                                         \
  MPI_Isend(a, 1, MPI_DOUBLE, peer, tag, world, &requests[1]);
  START(30)
  do
    MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
  while (!flag);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  do
    MPI_Test(&requests[1], &flag, &status);
  while (!flag);
  START(31)
  MPI_Waitany(2, requests, &index, &status);
  do
    MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
  while (!flag);
  START(32)
  do
    MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  while (!flag);
  START(33)
  for (done = 0; done < 2; done += count)
    MPI_Waitsome(2, requests, &count, indices, statuses);
  START(34)
  for (done = 0; done < 2; done += count == MPI_UNDEFINED ? 0 : count)
    MPI_Testsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
  check(1);
  MPI_Irecv(b, 1, MPI_DOUBLE, peer, 35, world, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  sum += flag;
}

#if MPI_VERSION >= 4
/* Six partitions of eight numbers, made ready one by one, as a range and as a list. */
static void partitioned(void) {
  int flag, list[2] = {1, 5};
  memset(b, 0, sizeof b);
  MPI_Psend_init(a, 6, 8, MPI_DOUBLE, peer, 40, world, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(b, 6, 8, MPI_DOUBLE, peer, 40, world, MPI_INFO_NULL, &requests[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, requests);
    MPI_Pready(0, requests[0]);
    MPI_Pready_range(2, 4, requests[0]);
    MPI_Pready_list(2, list, requests[0]);
    MPI_Parrived(requests[1], 3, &flag);
    MPI_Waitall(2, requests, statuses);
    check(48);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}
#define PERSISTENT(name, ...)                                                                                          \
  name(__VA_ARGS__, MPI_INFO_NULL, &request);                                                                          \
  for (int i = 0; i < 2; ++i) {                                                                                        \
    MPI_Start(&request);                                                                                               \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                                                             \
  }                                                                                                                    \
  MPI_Request_free(&request);                                                                                          \
  check(16);
#else
#define PERSISTENT(name, ...)
#endif

#define ALL(name, start, ...)                                                                                          \
  L(name)(__VA_ARGS__);                                                                                                \
  check(16);                                                                                                           \
  L(start)(__VA_ARGS__, &request);                                                                                     \
  MPI_Wait(&request, MPI_STATUS_IGNORE);                                                                               \
  check(16);                                                                                                           \
  PERSISTENT(L(name##_init), __VA_ARGS__)

static void collectives(void) {
  count_t counts[2] = {1, 2}, one = counts[rank];
  place_t places[2] = {0, 1}, apart[2] = {0, 4}, bytes[2] = {0, 32};
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Barrier(world);
  MPI_Ibarrier(world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  PERSISTENT(MPI_Barrier_init, world)
  ALL(Bcast, Ibcast, rank ? b : a, 4, MPI_DOUBLE, 0, world)
  ALL(Gather, Igather, a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, 0, world)
  ALL(Gatherv, Igatherv, a, one, MPI_DOUBLE, b, counts, places, MPI_DOUBLE, 0, world)
  ALL(Scatter, Iscatter, a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, 1, world)
  ALL(Scatterv, Iscatterv, a, counts, places, MPI_DOUBLE, b, one, MPI_DOUBLE, 0, world)
  ALL(Allgather, Iallgather, a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, world)
  ALL(Allgatherv, Iallgatherv, a, one, MPI_DOUBLE, b, counts, places, MPI_DOUBLE, world)
  ALL(Alltoall, Ialltoall, a, 3, MPI_DOUBLE, b, 3, MPI_DOUBLE, world)
  count_t both[2] = {one, one};
  ALL(Alltoallv, Ialltoallv, a, counts, places, MPI_DOUBLE, b, both, apart, MPI_DOUBLE, world)
#ifdef LARGE
  ALL(Alltoallw, Ialltoallw, a, counts, bytes, types, b, both, bytes, types, world)
#else
  ALL(Alltoallw, Ialltoallw, a, counts, (int *)bytes, types, b, both, (int *)bytes, types, world)
#endif
  ALL(Reduce, Ireduce, a, b, 2, MPI_DOUBLE, MPI_SUM, 0, world)
  ALL(Allreduce, Iallreduce, a, b, 3, MPI_DOUBLE, MPI_SUM, world)
  ALL(Reduce_scatter, Ireduce_scatter, a, b, counts, MPI_DOUBLE, MPI_SUM, world)
  ALL(Reduce_scatter_block, Ireduce_scatter_block, a, b, 2, MPI_DOUBLE, MPI_SUM, world)
  ALL(Scan, Iscan, a, b, 2, MPI_DOUBLE, MPI_SUM, world)
  ALL(Exscan, Iexscan, a, b, 2, MPI_DOUBLE, MPI_SUM, world)

  int two[1] = {2}, yes[1] = {1};
  MPI_Comm ring;
  MPI_Cart_create(world, 1, two, yes, 0, &ring);
  count_t around[2] = {1, 1};
  MPI_Aint offsets[2] = {0, 8};
  ALL(Neighbor_allgather, Ineighbor_allgather, a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, ring)
  ALL(Neighbor_allgatherv, Ineighbor_allgatherv, a, 1, MPI_DOUBLE, b, around, places, MPI_DOUBLE, ring)
  ALL(Neighbor_alltoall, Ineighbor_alltoall, a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, ring)
  ALL(Neighbor_alltoallv, Ineighbor_alltoallv, a, around, places, MPI_DOUBLE, b, around, places, MPI_DOUBLE, ring)
  ALL(Neighbor_alltoallw, Ineighbor_alltoallw, a, around, offsets, types, b, around, offsets, types, ring)
  MPI_Comm_free(&ring);
}

static void use(MPI_Comm comm) {
  double mine = 1, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  sum += all;
}

static void communicators(void) {
  MPI_Comm made, other;
  MPI_Group group;
  int two[1] = {2}, yes[1] = {1}, index[2] = {1, 2}, edges[2] = {1, 0}, degree[1] = {1}, targets[1] = {peer};
  int sources[1] = {rank}, weights[1] = {1};
  MPI_Comm_group(world, &group);
#define USE(call)                                                                                                      \
  call;                                                                                                                \
  use(made);                                                                                                           \
  MPI_Comm_free(&made);
  USE(MPI_Comm_dup(world, &made))
  USE(MPI_Comm_dup_with_info(world, MPI_INFO_NULL, &made))
  USE(MPI_Comm_create(world, group, &made))
  USE(MPI_Comm_create_group(world, group, 3, &made))
  USE(MPI_Comm_split(world, 0, -rank, &made))
  USE(MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made))
  USE(MPI_Comm_idup(world, &made, &request); MPI_Wait(&request, MPI_STATUS_IGNORE))
#if MPI_VERSION >= 4
  USE(MPI_Comm_idup_with_info(world, MPI_INFO_NULL, &made, &request); MPI_Wait(&request, MPI_STATUS_IGNORE))
#endif
  USE(MPI_Graph_create(world, 2, index, edges, 0, &made))
  USE(MPI_Dist_graph_create(world, 1, sources, degree, targets, weights, MPI_INFO_NULL, 0, &made))
  USE(MPI_Dist_graph_create_adjacent(world, 1, targets, weights, 1, targets, weights, MPI_INFO_NULL, 0, &made))
  MPI_Cart_create(world, 1, two, yes, 0, &other);
  USE(MPI_Cart_sub(other, yes, &made))
  MPI_Comm_disconnect(&other);
  MPI_Intercomm_create(MPI_COMM_SELF, 0, world, peer, 4, &other);
  use(other);
  USE(MPI_Intercomm_merge(other, rank, &made))
  MPI_Comm_free(&other);
  MPI_Group_free(&group);
}

static void windows(void) {
  MPI_Win window;
  double *memory, old = 0;
  int flag = 0;
  MPI_Group group, all;
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, 1, &peer, &group);
  L(Win_allocate)(N * sizeof(double), sizeof(double), MPI_INFO_NULL, world, &memory, &window);
  memset(memory, 0, N * sizeof(double));
  MPI_Win_fence(0, window);
  L(Put)(a, 4, MPI_DOUBLE, peer, 0, 4, MPI_DOUBLE, window);
  L(Accumulate)(a, 2, MPI_DOUBLE, peer, 8, 2, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_fence(0, window);
  L(Get)(b, 4, MPI_DOUBLE, peer, 0, 4, MPI_DOUBLE, window);
  L(Get_accumulate)(a, 1, MPI_DOUBLE, b + 8, 1, MPI_DOUBLE, peer, 9, 1, MPI_DOUBLE, MPI_SUM, window);
  MPI_Win_fence(0, window);
  check(16);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, peer, 0, window);
  MPI_Fetch_and_op(a, &old, MPI_DOUBLE, peer, 12, MPI_SUM, window);
  MPI_Win_flush(peer, window);
  MPI_Win_flush_local(peer, window);
  MPI_Win_unlock(peer, window);
  sum += old;
  MPI_Barrier(world); /* who waits below holds locks that the other needs above */
  MPI_Win_lock_all(0, window);
  L(Rput)(a, 2, MPI_DOUBLE, peer, 16, 2, MPI_DOUBLE, window, &requests[0]);
  L(Raccumulate)(a, 2, MPI_DOUBLE, peer, 20, 2, MPI_DOUBLE, MPI_SUM, window, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Win_flush_all(window);
  MPI_Win_sync(window);
  MPI_Barrier(world);
  L(Rget)(b, 2, MPI_DOUBLE, peer, 16, 2, MPI_DOUBLE, window, &requests[0]);
  L(Rget_accumulate)(a, 1, MPI_DOUBLE, b + 4, 1, MPI_DOUBLE, peer, 24, 1, MPI_DOUBLE, MPI_SUM, window, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Win_flush_local_all(window);
  MPI_Win_unlock_all(window);
  check(16);
  MPI_Win_post(group, 0, window);
  MPI_Win_start(group, 0, window);
  L(Put)(a, 1, MPI_DOUBLE, peer, 30, 1, MPI_DOUBLE, window);
  MPI_Win_complete(window);
  MPI_Win_wait(window);
  MPI_Win_post(group, 0, window);
  MPI_Win_start(group, 0, window);
  MPI_Win_complete(window);
  do
    MPI_Win_test(window, &flag);
  while (!flag);
  sum += memory[30];
  MPI_Win_free(&window);

  long number = rank, mine = 7, expected = 1 - rank, found = -1;
  L(Win_create)(&number, sizeof number, 1, MPI_INFO_NULL, world, &window);
  MPI_Win_fence(0, window);
  MPI_Compare_and_swap(&mine, &expected, &found, MPI_LONG, peer, 0, window);
  MPI_Win_fence(0, window);
  sum += number + (double)found;
  MPI_Win_free(&window);
  L(Win_allocate_shared)(64, 1, MPI_INFO_NULL, world, &memory, &window);
  MPI_Win_free(&window);
  MPI_Win_create_dynamic(MPI_INFO_NULL, world, &window);
  MPI_Win_free(&window);
  MPI_Group_free(&group);
  MPI_Group_free(&all);
}

static void files(const char *name) {
  MPI_File file;
  MPI_Offset at = rank * 32;
  MPI_File_open(world, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_info(file, MPI_INFO_NULL);
  MPI_File_set_size(file, 0);
  MPI_File_preallocate(file, 8 * N);
  MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
  MPI_File_set_atomicity(file, 1);
  MPI_File_seek(file, at, MPI_SEEK_SET);
  L(File_write)(file, a, 4, MPI_DOUBLE, MPI_STATUS_IGNORE);
  L(File_write_all)(file, a, 2, MPI_DOUBLE, &status);
  L(File_write_at)(file, at + 6, a, 2, MPI_DOUBLE, MPI_STATUS_IGNORE);
  L(File_write_at_all)(file, at + 8, a, 2, MPI_DOUBLE, MPI_STATUS_IGNORE);
  L(File_iwrite)(file, a, 1, MPI_DOUBLE, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  L(File_iwrite_at)(file, at + 10, a, 1, MPI_DOUBLE, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  L(File_iwrite_all)(file, a, 1, MPI_DOUBLE, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  L(File_iwrite_at_all)(file, at + 11, a, 1, MPI_DOUBLE, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  L(File_write_all_begin)(file, a, 1, MPI_DOUBLE);
  MPI_File_write_all_end(file, a, MPI_STATUS_IGNORE);
  L(File_write_at_all_begin)(file, at + 12, a, 1, MPI_DOUBLE);
  MPI_File_write_at_all_end(file, a, &status);
  MPI_File_sync(file);
  MPI_Barrier(world);
  MPI_File_seek(file, at, MPI_SEEK_SET);
#define READ(call)                                                                                                     \
  call;                                                                                                                \
  check(2);
#define READ_LATER(call)                                                                                               \
  call;                                                                                                                \
  MPI_Wait(&request, MPI_STATUS_IGNORE);                                                                               \
  check(2);
  READ(L(File_read)(file, b, 2, MPI_DOUBLE, MPI_STATUS_IGNORE))
  READ(L(File_read_all)(file, b, 1, MPI_DOUBLE, MPI_STATUS_IGNORE))
  READ(L(File_read_at)(file, at, b, 2, MPI_DOUBLE, &status))
  READ(L(File_read_at_all)(file, at, b, 2, MPI_DOUBLE, MPI_STATUS_IGNORE))
  READ_LATER(L(File_iread)(file, b, 1, MPI_DOUBLE, &request))
  READ_LATER(L(File_iread_at)(file, at, b, 1, MPI_DOUBLE, &request))
  READ_LATER(L(File_iread_all)(file, b, 1, MPI_DOUBLE, &request))
  READ_LATER(L(File_iread_at_all)(file, at, b, 1, MPI_DOUBLE, &request))
  L(File_read_all_begin)(file, b, 1, MPI_DOUBLE);
  READ(MPI_File_read_all_end(file, b, MPI_STATUS_IGNORE))
  L(File_read_at_all_begin)(file, at, b, 1, MPI_DOUBLE);
  READ(MPI_File_read_at_all_end(file, b, MPI_STATUS_IGNORE))
  MPI_File_seek_shared(file, 100, MPI_SEEK_SET);
  L(File_write_ordered)(file, a, 2, MPI_DOUBLE, MPI_STATUS_IGNORE);
  L(File_write_ordered_begin)(file, a, 1, MPI_DOUBLE);
  MPI_File_write_ordered_end(file, a, MPI_STATUS_IGNORE);
  L(File_write_shared)(file, a, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  L(File_iwrite_shared)(file, a, 1, MPI_DOUBLE, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(world);
  MPI_File_seek_shared(file, 100, MPI_SEEK_SET);
  READ(L(File_read_ordered)(file, b, 2, MPI_DOUBLE, MPI_STATUS_IGNORE))
  L(File_read_ordered_begin)(file, b, 1, MPI_DOUBLE);
  READ(MPI_File_read_ordered_end(file, b, MPI_STATUS_IGNORE))
  /* Who comes first gets which number is not fixed: both have the same sum over the ranks. */
  L(File_read_shared)(file, b + 32, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
  L(File_iread_shared)(file, b + 33, 1, MPI_DOUBLE, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Barrier(world);
  if (rank == 0)
    MPI_File_delete(name, MPI_INFO_NULL);
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  peer = 1 - rank;
  for (int i = 0; i < N; ++i)
    a[i] = (rank + 1) * (i + 1);
  double begin = MPI_Wtime();
  sends();
  probes();
  completions();
#if MPI_VERSION >= 4
  partitioned();
#endif
  collectives();
  communicators();
  windows();
  files(argc > 1 ? argv[1] : "calls.data");
  MPI_Datatype type;
  MPI_Type_dup(MPI_DOUBLE, &type);
  MPI_Type_free(&type);
  sum += MPI_Wtime() < begin;
  printf("rank %d: %.3f\n", rank, sum);
  MPI_Finalize();
  return 0;
}
