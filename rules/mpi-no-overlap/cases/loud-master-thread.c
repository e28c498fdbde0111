// flags: -fopenmp
// The master thread exchanges, and its team waits for it at the barrier before it computes.
#include <mpi.h>

static void exchange(double *u, int rows, int columns, int up, int down, MPI_Comm comm) {
  MPI_Request request[4];
  MPI_Irecv(u, columns, MPI_DOUBLE, up, 0, comm, &request[0]);
  MPI_Irecv(u + (rows + 1) * columns, columns, MPI_DOUBLE, down, 0, comm, &request[1]);
  MPI_Isend(u + columns, columns, MPI_DOUBLE, up, 0, comm, &request[2]);
  MPI_Isend(u + rows * columns, columns, MPI_DOUBLE, down, 0, comm, &request[3]);
  // expect: mpi-no-overlap high "MPI_Waitall"
  MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
}

void step(double *restrict next, double *restrict u, int rows, int columns, int up, int down, MPI_Comm comm) {
#pragma omp parallel
  {
#pragma omp master
    exchange(u, rows, columns, up, down, comm);
#pragma omp barrier
#pragma omp for
    for (int i = 2; i < rows; i++)
      for (int j = 1; j < columns - 1; j++)
        next[i * columns + j] = 0.5 * (u[(i - 1) * columns + j] + u[(i + 1) * columns + j]);
  }
}
