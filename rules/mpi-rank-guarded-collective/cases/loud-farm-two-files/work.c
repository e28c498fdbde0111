#include <mpi.h>

void work(double *values) {
  int share = 8;
  for (int i = 0; i < share; i++)
    values[i] = i;
}

void hand_out(double *values, int n) {
  for (int i = 0; i < n; i++)
    values[i] = 2.0 * i;
}
