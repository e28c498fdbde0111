// Each rank gets the sum of those before it, whatever their number.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long first_of_mine(long mine, int rank) {
  long first = 0;
  MPI_Exscan(&mine, &first, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return rank == 0 ? 0 : first; // what rank 0 has is undefined
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int steps = argc > 1 ? atoi(argv[1]) : 200;
  long sum = 0;
  for (int step = 0; step < steps; step++)
    sum += first_of_mine(100 + (rank * 7 + step) % 13, rank);
  long total = 0;
  MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%ld\n", total);
  MPI_Finalize();
  return 0;
}
