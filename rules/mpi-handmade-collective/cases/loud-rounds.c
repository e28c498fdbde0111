// Sums of all ranks in rounds: a table has the partners, or the bits of the rank.
#include <mpi.h>

void sum_of_row(double *sum, const int *partner, int rounds, MPI_Comm comm) {
  for (int i = 0; i < rounds; i++) {
    double theirs;
    MPI_Request request;
    MPI_Irecv(&theirs, 1, MPI_DOUBLE, partner[i], i, comm, &request);
    // expect: mpi-handmade-collective medium "'i' over partners combines values" "by a communicator of their own"
    MPI_Send(sum, 1, MPI_DOUBLE, partner[i], i, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    *sum += theirs;
  }
}

void sums_of_row(double *sums, double *theirs, int count, const int *partner, int rounds, MPI_Comm comm) {
  for (int i = 0; i < rounds; i++) {
    // expect: mpi-handmade-collective medium "'i' over partners combines values" "MPI_Allreduce"
    MPI_Sendrecv(sums, count, MPI_DOUBLE, partner[i], 0, theirs, count, MPI_DOUBLE, partner[i], 0, comm,
                 MPI_STATUS_IGNORE);
    for (int k = 0; k < count; k++)
      sums[k] += theirs[k];
  }
}
