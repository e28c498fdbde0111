/* Counts with known laws. Arguments: the side of the square problem, and steps.
 *
 * Of one rank, in each step: gather_by_hand receives P - 1 on rank 0; tree receives ceil(log2 P) on rank 0; the halo of
 * an X * Y grid sends down, side / X numbers; everybody calls MPI_Allreduce once, with P numbers. Once, a rank takes
 * memory for its row, and for P numbers. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static void gather_by_hand(double *all, int rank, int size) {
  double own = rank;
  if (rank == 0)
    for (int from = 1; from < size; ++from)
      MPI_Recv(all + from, 1, MPI_DOUBLE, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(&own, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
}

static void tree(int rank, int size) {
  int value = rank;
  for (int step = 1; step < size; step *= 2) {
    if (rank & step) {
      MPI_Send(&value, 1, MPI_INT, rank - step, 8, MPI_COMM_WORLD);
      return;
    }
    if (rank + step < size)
      MPI_Recv(&value, 1, MPI_INT, rank + step, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void halo(MPI_Comm grid, double *row, int length) {
  int up, down;
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  if (down != MPI_PROC_NULL)
    MPI_Send(row, length, MPI_DOUBLE, down, 1, grid);
  if (up != MPI_PROC_NULL)
    MPI_Recv(row, length, MPI_DOUBLE, up, 1, grid, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size, sides[2] = {0, 0}, periods[2] = {0, 0};
  const int side = argc > 1 ? atoi(argv[1]) : 720, steps = argc > 2 ? atoi(argv[2]) : 5;
  MPI_Comm grid;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, sides);
  MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periods, 0, &grid);
  double *row = calloc((size_t)side, sizeof *row);
  double *all = calloc((size_t)size, sizeof *all);
  if (getenv("NAP"))
    nanosleep(&(struct timespec){atoi(getenv("NAP")), 0}, NULL);
  int wanted = getenv("STATUS") ? atoi(getenv("STATUS")) : 0;
  for (int step = 0; step < steps; ++step) {
    gather_by_hand(all, rank, size);
    tree(rank, size);
    halo(grid, row, side / sides[0]);
    MPI_Allreduce(MPI_IN_PLACE, all, size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  free(row);
  free(all);
  MPI_Finalize();
  return wanted;
}
