// Collective calls on one communicator match in their order, with or without barriers.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double scale = rank == 0 ? 0.999 : 0.0;
  double value = rank + 1.0;
  for (int step = 0; step < 200; step++) {
    // expect: mpi-duplicate-exchange high "communicates" "MPI_Bcast"
    MPI_Bcast(&scale, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    // expect: mpi-redundant-barrier medium "before MPI_Allreduce (line 19)"
    // expect-run: mpi-redundant-barrier high "barrier orders nothing in any of 200 recorded calls" "remove the barrier"
    MPI_Barrier(MPI_COMM_WORLD);
    value *= scale;
    double sum;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    value += 0.001 * sum;
  }
  double total = 0.0;
  MPI_Reduce(&value, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f\n", total);
  MPI_Finalize();
  return 0;
}
