// Receives that come first where nothing says that they make a row: some ranks only send and the others only receive,
// callers know who goes first, and what is sent is made of what has arrived.
#include <mpi.h>

extern int px, npx, west, east;

void red_and_black(double *in, double *out, int n, int red) {
  if (!red)
    MPI_Recv(in, n, MPI_DOUBLE, west, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (red)
    MPI_Send(out, n, MPI_DOUBLE, east, 1, MPI_COMM_WORLD);
}

void second(double *in, double *out, int n, int from, int to) {
  MPI_Recv(in, n, MPI_DOUBLE, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(out, n, MPI_DOUBLE, to, 2, MPI_COMM_WORLD);
}

void front(double *column, int n) {
  if (px > 0)
    MPI_Recv(column, n, MPI_DOUBLE, west, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i < n; ++i)
    column[i] += column[i - 1];
  if (px < npx - 1)
    MPI_Send(column, n, MPI_DOUBLE, east, 3, MPI_COMM_WORLD);
}

// What a call tells in its last argument is no code of failure: one rank alone does it.
void first_rank(double *in, double *out, int n, int up, int down) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Send(out, n, MPI_DOUBLE, up, 4, MPI_COMM_WORLD);
    MPI_Recv(in, n, MPI_DOUBLE, down, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
