// A row of ranks, each of which waits for its western neighbour before it sends what it had before to the eastern one.
// Which these are another file knows.
#include <mpi.h>
#include <stdlib.h>

extern int px, npx, west, east;
void give_up(int code);

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    int code_ = (call);                                                                                                \
    if (code_ != MPI_SUCCESS)                                                                                          \
      give_up(code_);                                                                                                  \
  } while (0)

void relay(double *column, const double *eta, int rows, int columns) {
  double *mine = malloc(rows * sizeof(double));
  for (int j = 0; j < rows; ++j)
    mine[j] = eta[j * columns + columns - 1];
  if (px > 0)
    CHECK(MPI_Recv(column, rows, MPI_DOUBLE, west, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  if (px < npx - 1)
    // expect: mpi-send-recv-chain medium "receives from 'west' before it sends to 'east'"
    CHECK(MPI_Send(mine, rows, MPI_DOUBLE, east, 21, MPI_COMM_WORLD));
  free(mine);
}

// The code of a call that has worked is no condition.
int send_first(double *in, double *out, int n, int up, int down) {
  int code;
  // expect: mpi-send-recv-chain medium "every rank sends to 'up' before it receives from 'down'"
  if ((code = MPI_Send(out, n, MPI_DOUBLE, up, 3, MPI_COMM_WORLD)) != MPI_SUCCESS)
    return code;
  return MPI_Recv(in, n, MPI_DOUBLE, down, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
