// A branch and a clock in between.
#include <mpi.h>

double timed(double own, double other, MPI_Comm comm, double *seconds) {
  double a, b;
  MPI_Allreduce(&own, &a, 1, MPI_DOUBLE, MPI_SUM, comm);
  *seconds = MPI_Wtime();
  MPI_Allreduce(&other, &b, 1, MPI_DOUBLE, MPI_SUM, comm);
  return a + b;
}

int maybe(int flag, double *x, MPI_Comm comm) {
  MPI_Bcast(&flag, 1, MPI_INT, 0, comm);
  if (flag)
    MPI_Bcast(x, 1, MPI_INT, 0, comm);
  return flag;
}
