// What a rank sends needs what it received, the turns of several rounds overlap, or ranks of one parity send first.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

// A sweep: the row that is passed on is computed from the one that came.
void sweep(double *u, int n, int rows, int steps) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < steps; step++) {
    if (rank > 0)
      MPI_Recv(u, n, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i <= rows; i++)
      for (int j = 0; j < n; j++)
        u[i * n + j] += 0.5 * u[(i - 1) * n + j];
    if (rank < size - 1)
      MPI_Send(u + rows * n, n, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    if (rank < size - 1)
      MPI_Recv(u + (rows + 1) * n, n, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int j = 0; j < n; j++)
      u[rows * n + j] += u[(rows + 1) * n + j];
    if (rank > 0)
      MPI_Send(u + rows * n, n, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD);
  }
}

// What came is passed on.
void relay(double *block, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank > 0)
    MPI_Recv(block, n, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank < size - 1)
    MPI_Send(block, n, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
  if (rank < size - 1)
    MPI_Recv(block, n, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank > 0)
    MPI_Send(block, n, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD);
}

// One way only: the next round starts while this one is still under way.
void one_way(double *u, int n, int rows, int steps) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < steps; step++) {
    if (rank > 0)
      MPI_Recv(u, n, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank < size - 1)
      MPI_Send(u + rows * n, n, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
  }
}

// Messages that say whose turn it is to print.
void print_in_turn(const double *u, int n) {
  int rank, size, go = 1, came;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank > 0)
    MPI_Recv(&came, 1, MPI_INT, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++)
    printf("%d: %g\n", rank, u[i]);
  if (rank < size - 1)
    MPI_Send(&go, 1, MPI_INT, rank + 1, 3, MPI_COMM_WORLD);
}

void by_parity(double *u, int n, int rows) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank % 2) {
    MPI_Recv(u, n, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(u + rows * n, n, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Recv(u + (rows + 1) * n, n, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(u + n, n, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Send(u + rows * n, n, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Recv(u, n, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(u + n, n, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD);
    MPI_Recv(u + (rows + 1) * n, n, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// What came is packed into what leaves.
double pass_on(double *u, double *out, double *in, int n, int steps) {
  int rank, size;
  double sum = 0.0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < steps; step++) {
    if (rank > 0) {
      MPI_Recv(in, n, MPI_DOUBLE, rank - 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      memcpy(u, in, n * sizeof(double));
    }
    if (rank < size - 1) {
      memcpy(out, u, n * sizeof(double));
      MPI_Send(out, n, MPI_DOUBLE, rank + 1, 6, MPI_COMM_WORLD);
    }
    double most = u[0];
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    sum += most;
  }
  return sum;
}

// One rank at a time: whose number two variables tell.
void alone(double *out, double *in, int n, int mine, int chosen) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (mine == chosen) {
    MPI_Recv(in, n, MPI_DOUBLE, rank - 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, n, MPI_DOUBLE, rank + 1, 8, MPI_COMM_WORLD);
  }
}
