// A rod is shared by the ranks. The messages already make each rank wait for what it needs; the barriers make it wait
// for everyone else as well.
#include <mpi.h>
#include <stdio.h>

#define CELLS 2000

static double now[CELLS + 2];
static double next[CELLS + 2];

static void exchange(double *cells, int left, int right) {
  MPI_Sendrecv(&cells[CELLS], 1, MPI_DOUBLE, right, 0, &cells[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&cells[1], 1, MPI_DOUBLE, left, 1, &cells[CELLS + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int i = 1; i <= CELLS; i++)
    now[i] = (rank * CELLS + i) % 32;

  for (int step = 0; step < 100; step++) {
    exchange(now, left, right);
    // expect: mpi-redundant-barrier medium "in the loop at line 28"
    // expect-run: mpi-redundant-barrier high "barrier orders nothing in any of 100 recorded calls" "remove the barrier"
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 1; i <= CELLS; i++)
      next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
    for (int i = 1; i <= CELLS; i++)
      now[i] = next[i];
    // expect: mpi-redundant-barrier medium "in the loop at line 28"
    // expect-run: mpi-redundant-barrier high "barrier orders nothing in any of 100 recorded calls" "remove the barrier"
    MPI_Barrier(MPI_COMM_WORLD);
  }

  double sum = 0.0;
  for (int i = 1; i <= CELLS; i++)
    sum += now[i];
  double total = 0.0;
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f\n", total);
  MPI_Finalize();
  return 0;
}
