// Rank 0 explains, all ranks leave; an error on one rank ends the program.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 1) {
    if (rank == 0)
      fprintf(stderr, "usage: %s\n", argv[0]);
    MPI_Finalize();
    return 1;
  }
  int steps = 0;
  if (rank == 0) {
    FILE *in = fopen("steps.txt", "r");
    if (in && fscanf(in, "%d", &steps) != 1) {
      fprintf(stderr, "bad file\n");
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (in)
      fclose(in);
  }
  MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == size - 1 && steps < 0) {
    fprintf(stderr, "negative\n");
    exit(1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d\n", steps);
  MPI_Finalize();
  return 0;
}
