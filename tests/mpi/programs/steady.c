// Exchanges and sleeps for as many tenths of a second as it is told.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank, ranks, steps = argc > 1 ? atoi(argv[1]) : 20;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < steps; ++i) {
    double sum, one = i;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    usleep(100000);
    if (rank == 0) {
      printf("step %d\n", i);
      fflush(stdout);
    }
  }
  MPI_Finalize();
  return 0;
}
