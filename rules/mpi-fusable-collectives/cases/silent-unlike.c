// Other operations, types, roots and communicators, unknown and large lengths.
#include <mpi.h>

void others(double *a, int *b, double *c, int n, MPI_Comm comm, MPI_Comm rows) {
  double most, least, sum;
  MPI_Allreduce(a, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Allreduce(a, &least, 1, MPI_DOUBLE, MPI_MIN, comm);
  MPI_Allreduce(a, &sum, 1, MPI_DOUBLE, MPI_MIN, rows);
  MPI_Bcast(b, 1, MPI_INT, 0, comm);
  MPI_Bcast(b + 1, 1, MPI_INT, 1, comm);
  MPI_Bcast(c, n, MPI_DOUBLE, 1, comm);
  MPI_Bcast(c + n, 100000, MPI_DOUBLE, 1, comm);
  MPI_Bcast(c + n + 100000, 1, MPI_DOUBLE, 1, comm);
  c[0] += most + least + sum;
}
