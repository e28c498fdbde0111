// A triangular sum: row i has i terms. The rows are divided evenly by their number, so that the last rank computes most
// of it while the first one waits.
// ranks: 2
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 3000

static double row_sum(int row, double shift) {
  double sum = 0.0;
  for (int column = 0; column <= row; column++)
    sum += 1.0 / (1.0 + row + column * shift);
  return sum;
}

static double my_part(int rank, int size, double shift) {
  double sum = 0.0;
  for (int row = ROWS / size * rank; row < ROWS / size * (rank + 1); row++)
    sum += row_sum(row, shift);
  return sum;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = argc > 1 ? atoi(argv[1]) : 40;
  double total = 0.0, shift = 1.0;
  for (int step = 0; step < steps; step++) {
    double part = my_part(rank, size, shift), sum;
    // expect-run: mpi-load-imbalance "ranks wait up to" "rank 1 computes before" "divide the work by its cost"
    MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    shift = 1.0 + 1e-6 * sum;
    total += sum;
  }
  if (rank == 0)
    printf("%.4f\n", total);
  MPI_Finalize();
  return 0;
}
