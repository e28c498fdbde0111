// Neighbours exchange a column once, while the problem is set up.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void exchange_once(const double *field, double *ghost, double *buffer, int rows, int pitch) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int y = 0; y < rows; y++)
    buffer[y] = field[y * pitch + pitch - 1];
  MPI_Sendrecv(buffer, rows, MPI_DOUBLE, (rank + 1) % size, 0, ghost, rows, MPI_DOUBLE, (rank + size - 1) % size, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int rows = argc > 1 ? atoi(argv[1]) : 1000, pitch = 200;
  double *field = calloc((size_t)rows * pitch, sizeof *field);
  double *ghost = calloc(rows, sizeof *ghost), *buffer = calloc(rows, sizeof *buffer);
  if (!field || !ghost || !buffer)
    MPI_Abort(MPI_COMM_WORLD, 1);
  exchange_once(field, ghost, buffer, rows, pitch);
  printf("%g\n", ghost[0]);
  free(field);
  free(ghost);
  free(buffer);
  MPI_Finalize();
  return 0;
}
