// Exchanges that leave something else each time: a mean of neighbours, a step along the array, arrays that change
// places.
#include "filter.h"
#include <mpi.h>

static void ghosts(double *field, int n) {
  MPI_Sendrecv(field + 1, 1, MPI_DOUBLE, 0, 1, field + n + 1, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(field + n, 1, MPI_DOUBLE, 1, 2, field, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void filter(double *field, double *work, int n) {
  ghosts(field, n);
  for (int i = 1; i <= n; i++)
    work[i] = 0.25 * field[i - 1] + 0.5 * field[i] + 0.25 * field[i + 1];
  for (int i = 1; i <= n; i++)
    field[i] = work[i];
}

void shift(double *field, int n) {
  ghosts(field, n);
  for (int i = n; i > 0; i--)
    field[i] = field[i - 1];
}

void turn(double *field, double *other, int n) {
  ghosts(field, n);
  for (int i = 0; i <= n; i++) {
    const double left = field[i];
    field[i] = other[i];
    other[i] = left;
  }
}

// The neighbours before this rank are sent to at first, then those behind it.
void share(const int *owners, double *sums, int mine, int n, int size) {
  for (int i = 0; i < n; i++)
    if (owners[i] < mine)
      MPI_Send(sums + i * size, size, MPI_DOUBLE, owners[i], 3, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++)
    if (owners[i] > mine)
      MPI_Send(sums + i * size, size, MPI_DOUBLE, owners[i], 4, MPI_COMM_WORLD);
}
