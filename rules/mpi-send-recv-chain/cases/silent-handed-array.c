// Ranks whose turn it is, a front that goes over all of them, and sums that mix the elements.
#include <mpi.h>
#include <stdio.h>

void in_turn(int *token, int rank, int size) {
  if (rank > 0)
    MPI_Recv(token, 1, MPI_INT, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("rank %d\n", rank);
  if (rank < size - 1)
    MPI_Send(token, 1, MPI_INT, rank + 1, 1, MPI_COMM_WORLD);
}

void front(double *edge, double *cells, int n, int rank, int size) {
  if (rank > 0)
    MPI_Recv(edge, n, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++)
    edge[i] = cells[i] = 0.5 * edge[i] + cells[i];
  if (rank < size - 1)
    MPI_Send(edge, n, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD);
}

void mixed(double *x, double *below, int n, int rank, int size) {
  if (rank > 0) {
    MPI_Recv(below, n, MPI_DOUBLE, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i < n; i++)
      x[i] = x[i - 1] + below[i];
  }
  if (rank < size - 1)
    MPI_Send(x, n, MPI_DOUBLE, rank + 1, 3, MPI_COMM_WORLD);
}

void every_second(double *x, double *below, int n, int rank, int size) {
  if (rank > 0) {
    MPI_Recv(below, n, MPI_DOUBLE, rank - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < n / 2; i++)
      x[i] += below[2 * i];
  }
  if (rank < size - 1)
    MPI_Send(x, n, MPI_DOUBLE, rank + 1, 5, MPI_COMM_WORLD);
}

void other_length(double *x, int n, int m, int rank, int size) {
  if (rank > 0)
    MPI_Recv(x, n, MPI_DOUBLE, rank - 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank < size - 1)
    MPI_Send(x, m, MPI_DOUBLE, rank + 1, 4, MPI_COMM_WORLD);
}
