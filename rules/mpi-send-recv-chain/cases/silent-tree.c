// What comes from one rank goes on to two: a tree has no line to wait in.
#include <mpi.h>

extern int parent, left, right;

void down(double *x, double mine) {
  double came = 0;
  if (parent >= 0)
    MPI_Recv(&came, 1, MPI_DOUBLE, parent, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  *x = came + mine;
  if (left >= 0)
    MPI_Send(x, 1, MPI_DOUBLE, left, 6, MPI_COMM_WORLD);
  if (right >= 0)
    MPI_Send(x, 1, MPI_DOUBLE, right, 6, MPI_COMM_WORLD);
}
