// Each rank receives before it sends what it had before: the ranks take turns.
#include <mpi.h>
#include <string.h>

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

// Which exchange is used is the user's choice, the same on all ranks.
void visit(double *mine, double *block, double *other, int n, int version) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int step = 0; step < size; step++) {
    for (int i = 0; i < n; i++)
      mine[i] += block[i];
    if (version) {
      MPI_Sendrecv(block, n, MPI_DOUBLE, next, 4, other, n, MPI_DOUBLE, previous, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 0) {
      MPI_Send(block, n, MPI_DOUBLE, next, 5, MPI_COMM_WORLD);
      MPI_Recv(other, n, MPI_DOUBLE, previous, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(other, n, MPI_DOUBLE, previous, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      // expect: mpi-send-recv-chain medium "receives from 'previous'" "sends to 'next'"
      MPI_Send(block, n, MPI_DOUBLE, next, 5, MPI_COMM_WORLD);
    }
    double *turned = block;
    block = other;
    other = turned;
  }
}

// The message is packed and unpacked between the two, of other rows than those that came.
void packed(double *u, double *out, double *in, int n, int rows, int steps) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < steps; step++) {
    if (rank > 0) {
      MPI_Recv(in, n, MPI_DOUBLE, rank - 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      memcpy(u, in, n * sizeof(double));
    }
    if (rank < size - 1) {
      memcpy(out, u + rows * n, n * sizeof(double));
      // expect: mpi-send-recv-chain medium "receives from" "rank - 1"
      MPI_Send(out, n, MPI_DOUBLE, rank + 1, 6, MPI_COMM_WORLD);
      MPI_Recv(in, n, MPI_DOUBLE, rank + 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < n; i++)
        u[(rows + 1) * n + i] = in[i];
    }
    if (rank > 0) {
      for (int i = 0; i < n; i++)
        out[i] = u[n + i];
      // expect: mpi-send-recv-chain medium "receives from" "rank + 1"
      MPI_Send(out, n, MPI_DOUBLE, rank - 1, 7, MPI_COMM_WORLD);
    }
  }
}
