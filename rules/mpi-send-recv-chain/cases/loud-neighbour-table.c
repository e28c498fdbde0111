// Neighbours in a table: filled by MPI_Cart_shift or by arithmetic on the rank, walked by loops over the directions.
#include <mpi.h>

enum { LEFT, RIGHT, DOWN, UP, DIRECTIONS };

typedef struct {
  int neighbour[DIRECTIONS];
  double *out[DIRECTIONS], *in[DIRECTIONS];
  int count;
  MPI_Comm comm;
} Grid;

void shift_right(Grid *grid) {
  // expect: mpi-send-recv-chain medium "a chain as long as the ranks" "grid->neighbour[RIGHT]"
  MPI_Send(grid->out[RIGHT], grid->count, MPI_DOUBLE, grid->neighbour[RIGHT], 0, grid->comm);
  MPI_Recv(grid->in[LEFT], grid->count, MPI_DOUBLE, grid->neighbour[LEFT], 0, grid->comm, MPI_STATUS_IGNORE);
}

void exchange(Grid *grid) {
  for (int d = 0; d < DIRECTIONS; d++)
    // expect: mpi-send-recv-chain medium "a chain as long as the ranks" "grid->neighbour[d]"
    MPI_Send(grid->out[d], grid->count, MPI_DOUBLE, grid->neighbour[d], 0, grid->comm);
  for (int d = 0; d < DIRECTIONS; d++)
    MPI_Recv(grid->in[d], grid->count, MPI_DOUBLE, grid->neighbour[d], 0, grid->comm, MPI_STATUS_IGNORE);
}

void by_shifts(double *out, double *in, int n, MPI_Comm cart) {
  int neighbour[DIRECTIONS];
  MPI_Cart_shift(cart, 0, 1, &neighbour[LEFT], &neighbour[RIGHT]);
  MPI_Cart_shift(cart, 1, 1, &neighbour[DOWN], &neighbour[UP]);
  for (int d = 0; d < DIRECTIONS; d++)
    if (neighbour[d] != MPI_PROC_NULL)
      // expect: mpi-send-recv-chain medium "a chain as long as the ranks" "neighbour[d]"
      MPI_Send(&out[d * n], n, MPI_DOUBLE, neighbour[d], d, cart);
  for (int d = 0; d < DIRECTIONS; d++)
    if (neighbour[d] != MPI_PROC_NULL)
      MPI_Recv(&in[d * n], n, MPI_DOUBLE, neighbour[d], d ^ 1, cart, MPI_STATUS_IGNORE);
}
