// Each rank learns the number of particles of all others in every step, to know where its own begin.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long first_of_mine(long mine, long *all, int rank) {
  MPI_Allgather(&mine, 1, MPI_LONG, all, 1, MPI_LONG, MPI_COMM_WORLD);
  long first = 0;
  for (int r = 0; r < rank; r++)
    first += all[r];
  return first;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = argc > 1 ? atoi(argv[1]) : 200;
  long *all = malloc((size_t)size * sizeof *all), sum = 0;
  for (int step = 0; step < steps; step++)
    sum += first_of_mine(100 + (rank * 7 + step) % 13, all, rank);
  long total = 0;
  MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%ld\n", total);
  free(all);
  MPI_Finalize();
  return 0;
}
