// Two halves of a rod: the left one hands its last cell to the right one, which cannot begin without it. It does so
// when its own half is done, so that the right one stands still meanwhile, and the left one afterwards.
// ranks: 2
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 200000

static double rod[CELLS + 1];

static void relax(double left) {
  for (int sweep = 0; sweep < 12; sweep++) {
    double before = left;
    for (int i = 1; i <= CELLS; i++) {
      double here = rod[i];
      rod[i] = 0.7 * here + 0.3 * before / (1.0 + here * here);
      before = here;
    }
  }
}

static double advance(int rank) {
  double edge = 1.0;
  if (rank == 0) {
    const double last = rod[CELLS];
    relax(edge);
    MPI_Send(&last, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  } else if (rank == 1) {
    // expect-run: mpi-late-sender "up to" "that rank 0 sends late: rank 0 computes between" "before its own work"
    MPI_Recv(&edge, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    relax(edge);
  }
  return rod[CELLS / 2];
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int steps = argc > 1 ? atoi(argv[1]) : 60;
  for (int i = 0; i <= CELLS; i++)
    rod[i] = (i * 7 + rank) % 13 * 0.1;
  double total = 0.0;
  for (int step = 0; step < steps; step++) {
    double middle = advance(rank), sum;
    MPI_Allreduce(&middle, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    total += sum;
  }
  if (rank == 0)
    printf("%.6f\n", total);
  MPI_Finalize();
  return 0;
}
