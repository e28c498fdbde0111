// What asks for a result of the first call, and not whether it has failed, is a branch like any other.
#include <mpi.h>

static double decide(int part, double mine) {
  int all = 0, mine_too = (int)mine, size = 0;
  MPI_Allreduce(&part, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (all != 0)
    return 0;
  MPI_Allreduce(&mine_too, &size, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all * size;
}

void steps(double *u, int n, int count) {
  for (int step = 0; step < count; ++step) {
    int part = 0;
    for (int i = 0; i < n; ++i)
      part += (u[i] = u[i] * 0.5 + step) > 1;
    u[0] = decide(part, u[n - 1]);
  }
}
