// The work behind needs what the steps made, of which there may be none.
#include <mpi.h>

void start(double *halo, const double *edge, double *field, double *work, int n, int steps, int left, int right) {
  MPI_Request requests[2];
  MPI_Irecv(halo, n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(edge, n, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int step = 0; step < steps; step++) {
    MPI_Allreduce(MPI_IN_PLACE, field, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
      field[i] *= 0.5;
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      work[j] += field[i] * 0.25;
}
