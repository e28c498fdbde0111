/* Two ranks, every kind of call, known counts. Prints a checksum and ends with status 7. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank, size, flag, index, count, indices[4];
  double a[64], b[64], sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int peer = 1 - rank;
  MPI_Comm world = MPI_COMM_WORLD;
  for (int i = 0; i < 64; ++i) {
    a[i] = rank + i;
    b[i] = 0;
  }

  /* Blocking messages: standard, synchronous, buffered, ready, with wildcards and null peers. */
  if (rank == 0) {
    static char space[4096];
    void *detached;
    int bytes;
    for (int i = 0; i < 3; ++i)
      MPI_Send(a + i, 1, MPI_DOUBLE, 1, 10, world);
    MPI_Ssend(a, 2, MPI_DOUBLE, 1, 11, world);
    MPI_Buffer_attach(space, sizeof space);
    MPI_Bsend(a, 4, MPI_DOUBLE, 1, 12, world);
    MPI_Buffer_detach(&detached, &bytes);
    MPI_Recv(b, 0, MPI_DOUBLE, 1, 13, world, MPI_STATUS_IGNORE);
    MPI_Rsend(a, 8, MPI_DOUBLE, 1, 14, world);
    MPI_Send(a, 5, MPI_DOUBLE, MPI_PROC_NULL, 15, world);
  } else {
    MPI_Request early;
    for (int i = 0; i < 3; ++i)
      MPI_Recv(b + i, 1, MPI_DOUBLE, 0, 10, world, MPI_STATUS_IGNORE);
    MPI_Recv(b, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 11, world, MPI_STATUS_IGNORE);
    MPI_Recv(b, 16, MPI_DOUBLE, 0, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
    MPI_Irecv(b, 8, MPI_DOUBLE, 0, 14, world, &early);
    MPI_Send(a, 0, MPI_DOUBLE, 0, 13, world);
    MPI_Wait(&early, MPI_STATUS_IGNORE);
    MPI_Recv(b + 20, 1, MPI_DOUBLE, MPI_PROC_NULL, 15, world, MPI_STATUS_IGNORE);
  }
  sum += b[0] + b[1] + b[2];
  MPI_Sendrecv(a, 6, MPI_DOUBLE, peer, 20, b, 6, MPI_DOUBLE, peer, 20, world, MPI_STATUS_IGNORE);
  sum += b[5];
  MPI_Sendrecv_replace(b, 6, MPI_DOUBLE, peer, 21, peer, 21, world, MPI_STATUS_IGNORE);

  /* Non-blocking and persistent messages, every completion call. */
  MPI_Request requests[4];
  MPI_Status statuses[4];
  for (int i = 0; i < 2; ++i)
    MPI_Irecv(b + i, 1, MPI_DOUBLE, i ? MPI_ANY_SOURCE : peer, 30 + i, world, &requests[i]);
  for (int i = 0; i < 2; ++i)
    MPI_Isend(a + i, 1, MPI_DOUBLE, peer, 30 + i, world, &requests[2 + i]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  sum += b[0] + b[1];
  MPI_Irecv(b, 1, MPI_DOUBLE, peer, 32, world, &requests[0]);
  MPI_Issend(a, 1, MPI_DOUBLE, peer, 32, world, &requests[1]);
  MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  do
    MPI_Waitsome(2, requests, &count, indices, statuses);
  while (count != MPI_UNDEFINED);
  MPI_Irecv(b, 1, MPI_DOUBLE, peer, 33, world, &requests[0]);
  MPI_Isend(a, 1, MPI_DOUBLE, peer, 33, world, &requests[1]);
  do
    MPI_Testall(2, requests, &flag, statuses);
  while (!flag);
  MPI_Irecv(b, 1, MPI_DOUBLE, peer, 34, world, &requests[0]);
  MPI_Send(a, 1, MPI_DOUBLE, peer, 34, world);
  do
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  while (!flag);
  MPI_Send_init(a, 3, MPI_DOUBLE, peer, 35, world, &requests[0]);
  MPI_Recv_init(b, 3, MPI_DOUBLE, peer, 35, world, &requests[1]);
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, statuses);
    sum += b[2];
  }
  MPI_Start(&requests[0]);
  MPI_Start(&requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);

  /* Probes. */
  MPI_Status status;
  MPI_Message message;
  MPI_Isend(a, 2, MPI_DOUBLE, peer, 40, world, &requests[0]);
  MPI_Probe(MPI_ANY_SOURCE, 40, world, &status);
  MPI_Recv(b, 2, MPI_DOUBLE, status.MPI_SOURCE, 40, world, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], &status);
  MPI_Isend(a, 2, MPI_DOUBLE, peer, 41, world, &requests[0]);
  MPI_Mprobe(peer, 41, world, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(b, 2, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Iprobe(MPI_ANY_SOURCE, 99, world, &flag, MPI_STATUS_IGNORE);

  /* Collectives. */
  int counts[2] = {1, 2}, displacements[2] = {0, 1};
  MPI_Barrier(world);
  MPI_Bcast(b, 4, MPI_DOUBLE, 1, world);
  MPI_Reduce(a, b, 2, MPI_DOUBLE, MPI_SUM, 0, world);
  MPI_Allreduce(MPI_IN_PLACE, b, 2, MPI_DOUBLE, MPI_SUM, world);
  MPI_Gather(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, 0, world);
  MPI_Gatherv(a, counts[rank], MPI_DOUBLE, b, counts, displacements, MPI_DOUBLE, 0, world);
  MPI_Scatter(a, 1, MPI_DOUBLE, rank == 0 ? MPI_IN_PLACE : b, 1, MPI_DOUBLE, 0, world);
  MPI_Allgather(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, world);
  MPI_Allgatherv(a, counts[rank], MPI_DOUBLE, b, counts, displacements, MPI_DOUBLE, world);
  MPI_Alltoall(a, 3, MPI_DOUBLE, b, 3, MPI_DOUBLE, world);
  int none[2] = {0, 0};
  MPI_Alltoallv(a, none, none, MPI_DOUBLE, b, none, none, MPI_DOUBLE, world);
  MPI_Ibarrier(world, &requests[0]);
  MPI_Iallreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, world, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  sum += b[0];

  /* Communicators: messages on them name world ranks; the order is turned round. */
  MPI_Comm duplicate, turned, lazy;
  MPI_Comm_dup(world, &duplicate);
  MPI_Comm_split(world, 0, -rank, &turned);
  int turned_rank;
  MPI_Comm_rank(turned, &turned_rank);
  if (turned_rank == 0)
    MPI_Send(a, 1, MPI_DOUBLE, 1, 50, turned);
  else
    MPI_Recv(b, 1, MPI_DOUBLE, 0, 50, turned, MPI_STATUS_IGNORE);
  MPI_Comm_idup(turned, &lazy, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Barrier(lazy);
  MPI_Comm_free(&lazy);
  MPI_Comm_free(&turned);
  MPI_Comm_free(&duplicate);

  /* Windows, types, clocks. */
  MPI_Win window;
  double memory[8] = {0};
  MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, world, &window);
  MPI_Win_fence(0, window);
  MPI_Put(a, 4, MPI_DOUBLE, peer, 0, 4, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  sum += memory[3];
  MPI_Win_free(&window);
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 8, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Sendrecv(a, 1, column, peer, 60, b, 4, MPI_DOUBLE, peer, 60, world, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
  double t = MPI_Wtime();
  t = MPI_Wtime() - t;
  if (t < 0)
    sum = -1;
  printf("rank %d of %d: %.3f\n", rank, size, sum);
  MPI_Finalize();
  /* The launcher ends the other rank at the first status that is not 0: that one, too, is to leave MPI_Finalize. */
  sleep(1);
  return 7;
}
