// How many ranks there are, another file knows. Who sends to ranks 0, 1, 2, … and receives from the same ones does so
// with all of them.
#include <mpi.h>
#include <stdlib.h>

extern int processes, me;

void transpose(const double *out, double *in, int block) {
  MPI_Request *requests = malloc(2 * processes * sizeof(MPI_Request));
  for (int p = 0; p < processes; p++) {
    MPI_Irecv(in + p * block, block, MPI_DOUBLE, p, 4, MPI_COMM_WORLD, requests + p);
    // expect: mpi-handmade-collective medium "sends from every rank to every other" "where MPI_Alltoall takes them as they come"
    MPI_Isend(out + p * block, block, MPI_DOUBLE, p, 4, MPI_COMM_WORLD, requests + processes + p);
  }
  MPI_Waitall(2 * processes, requests, MPI_STATUSES_IGNORE);
  free(requests);
}

void share(double *all, int n) {
  for (int p = 0; p < processes; p++) {
    if (p == me)
      continue;
    // expect: mpi-handmade-collective "sends from every rank to every other" "MPI_Allgather"
    MPI_Sendrecv(all + me * n, n, MPI_DOUBLE, p, 9, all + p * n, n, MPI_DOUBLE, p, 9, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}
