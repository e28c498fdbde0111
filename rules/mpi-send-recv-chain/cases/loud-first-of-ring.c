// A ring that one rank starts: all others wait for the one before, though they send what they had.
#include <mpi.h>

extern int up, down;

void fold(double *rho, double *row, int n, int rows) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Send(rho + rows * n, n, MPI_DOUBLE, up, 5, MPI_COMM_WORLD);
    MPI_Recv(row, n, MPI_DOUBLE, down, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(row, n, MPI_DOUBLE, down, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // expect: mpi-send-recv-chain medium "receives from 'down' before it sends to 'up'"
    MPI_Send(rho + rows * n, n, MPI_DOUBLE, up, 5, MPI_COMM_WORLD);
  }
  for (int i = 0; i < n; i++)
    rho[n + i] += row[i];
}
