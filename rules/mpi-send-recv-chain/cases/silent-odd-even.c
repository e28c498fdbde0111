// Two steps, however many ranks there are.
#include <mpi.h>
#include <stdio.h>

#define COUNT 4000

static double border[COUNT];
static double ghost[COUNT];

static void shift(int rank, int left, int right) {
  if (rank % 2 == 0) {
    MPI_Send(border, COUNT, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    MPI_Recv(ghost, COUNT, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(ghost, COUNT, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(border, COUNT, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int i = 0; i < COUNT; i++)
    border[i] = rank + i % 7;
  for (int step = 0; step < 20; step++) {
    shift(rank, left, right);
    for (int i = 0; i < COUNT; i++)
      border[i] = 0.5 * (border[i] + ghost[i]);
  }
  double sum = 0.0;
  for (int i = 0; i < COUNT; i++)
    sum += border[i];
  double total = 0.0;
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f\n", total);
  MPI_Finalize();
  return 0;
}
