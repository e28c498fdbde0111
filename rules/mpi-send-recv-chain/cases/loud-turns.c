// Each rank receives before it sends what it had before: the ranks take turns.
#include <mpi.h>

// One value at a time, through one variable: the first rank sends first, all others wait.
void borders(double *u, int rows, int steps) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double message;
  MPI_Status status;
  for (int step = 0; step < steps; step++) {
    for (int i = 1; i <= rows; i++)
      u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    if (rank == 0) {
      message = u[rows];
      MPI_Send(&message, 1, MPI_DOUBLE, rank + 1, 9, MPI_COMM_WORLD);
      MPI_Recv(&message, 1, MPI_DOUBLE, rank + 1, 9, MPI_COMM_WORLD, &status);
      u[rows + 1] = message;
    } else if (rank == size - 1) {
      MPI_Recv(&message, 1, MPI_DOUBLE, rank - 1, 9, MPI_COMM_WORLD, &status);
      u[0] = message;
      message = u[1];
      MPI_Send(&message, 1, MPI_DOUBLE, rank - 1, 9, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&message, 1, MPI_DOUBLE, rank - 1, 9, MPI_COMM_WORLD, &status);
      u[0] = message;
      message = u[1];
      MPI_Send(&message, 1, MPI_DOUBLE, rank - 1, 9, MPI_COMM_WORLD);
      message = u[rows];
      // expect: mpi-send-recv-chain medium "receives from" "rank - 1"
      MPI_Send(&message, 1, MPI_DOUBLE, rank + 1, 9, MPI_COMM_WORLD);
      MPI_Recv(&message, 1, MPI_DOUBLE, rank + 1, 9, MPI_COMM_WORLD, &status);
      u[rows + 1] = message;
    }
  }
}

void rows_of(double *u, int n, int rows, int steps) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < steps; step++) {
    if (rank > 0)
      MPI_Recv(u, n, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank < size - 1)
      // expect: mpi-send-recv-chain medium "receives from" "rank - 1"
      MPI_Send(u + rows * n, n, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    if (rank < size - 1)
      MPI_Recv(u + (rows + 1) * n, n, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 0)
      // expect: mpi-send-recv-chain medium "receives from" "rank + 1"
      MPI_Send(u + n, n, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD);
    for (int i = 1; i <= rows; i++)
      for (int j = 0; j < n; j++)
        u[i * n + j] = 0.5 * (u[(i - 1) * n + j] + u[(i + 1) * n + j]);
  }
}
