// Nobody leaves the reduction before all have entered it.
#include <math.h>
#include <mpi.h>

int converge(double *values, int count, MPI_Comm comm) {
  int steps = 0;
  double change = 1.0;
  while (change > 1e-6) {
    double local = 0.0;
    for (int i = 0; i < count; i++) {
      const double next = 0.5 * values[i] + 1.0;
      local += fabs(next - values[i]);
      values[i] = next;
    }
    MPI_Allreduce(&local, &change, 1, MPI_DOUBLE, MPI_SUM, comm);
    // expect: mpi-redundant-barrier medium "after MPI_Allreduce (line 15)"
    MPI_Barrier(comm);
    steps++;
  }
  return steps;
}
