// The rank is asked for anew in each step, and one rank prints beside the barrier.
#include <mpi.h>
#include <stdio.h>

static double relax(double *values, int count) {
  double change = 0;
  for (int i = 1; i < count - 1; i++) {
    double next = 0.5 * (values[i - 1] + values[i + 1]);
    change += (next - values[i]) * (next - values[i]);
    values[i] = next;
  }
  return change;
}

void iterate(double *values, int count, int steps) {
  for (int step = 0; step < steps; step++) {
    double change = relax(values, count), total;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(&change, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank)
      printf("step %d: %g\n", step, total);
    // expect: mpi-redundant-barrier medium "in the loop at line 16"
    MPI_Barrier(MPI_COMM_WORLD);
  }
}
