#include <mpi.h>

void work(double *values) {
  int share;
  MPI_Bcast(&share, 1, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; i < share; i++)
    values[i] = i;
}

void hand_out(double *values, int n) {
  for (int i = 0; i < n; i++)
    values[i] = 2.0 * i;
}
