// Each rank exchanges its block with the rank half the job away: on two nodes that is always a rank of the other node.
// On one node there is nothing to find.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 4096

static double mine[CELLS], other[CELLS];

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int steps = argc > 1 ? atoi(argv[1]) : 50;
  const int half = size / 2;
  const int partner = rank < 2 * half ? (rank + half) % (2 * half) : MPI_PROC_NULL;
  for (int i = 0; i < CELLS; i++)
    mine[i] = i % 13;
  for (int step = 0; step < steps; step++) {
    MPI_Sendrecv(mine, CELLS, MPI_DOUBLE, partner, 0, other, CELLS, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < CELLS; i++)
      mine[i] = 0.75 * mine[i] + 0.25 * other[i] + step % 2;
  }
  double sum = 0.0, total = 0.0;
  for (int i = 0; i < CELLS; i++)
    sum += mine[i];
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f\n", total);
  MPI_Finalize();
  return 0;
}
