// One small message per time step: the next value does not exist before the rod has moved on.
#include <mpi.h>
#include <stdio.h>

#define CELLS 256

static double rod[CELLS + 2];
static double next[CELLS + 2];

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int i = 1; i <= CELLS; i++)
    rod[i] = (rank * CELLS + i) % 10;
  for (int step = 0; step < 300; step++) {
    MPI_Request requests[4];
    MPI_Irecv(&rod[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&rod[CELLS + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&rod[CELLS], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&rod[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= CELLS; i++)
      next[i] = 0.25 * rod[i - 1] + 0.5 * rod[i] + 0.25 * rod[i + 1];
    for (int i = 1; i <= CELLS; i++)
      rod[i] = next[i];
  }
  double sum = 0.0;
  for (int i = 1; i <= CELLS; i++)
    sum += rod[i];
  double total = 0.0;
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f\n", total);
  MPI_Finalize();
  return 0;
}
