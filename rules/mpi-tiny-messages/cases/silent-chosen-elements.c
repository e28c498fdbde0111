// What tests ask that are none of the element: a counter, what has been collected, what an iteration leaves to the
// next.
#include <mpi.h>

void every_block(double *x, int n, int block, int to) {
  for (int i = 0; i < n; ++i)
    if (i % block == 0)
      MPI_Send(&x[i], 1, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
}

void full_buffer(const double *x, double *out, int n, int to) {
  int filled = 0;
  for (int i = 0; i < n; ++i) {
    out[filled++] = x[i] * x[i];
    if (filled == 64) {
      MPI_Send(out, 64, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
      filled = 0;
    }
  }
}

void new_extremum(const double *x, int n, int to) {
  double most = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] > most) {
      most = x[i];
      MPI_Send(&x[i], 1, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
    }
}

void new_extremum_in_memory(const double *x, double *most, int n, int to) {
  for (int i = 0; i < n; ++i)
    if (x[i] > *most) {
      *most = x[i];
      MPI_Send(&x[i], 1, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
    }
}

void until_asked(double *x, int n, int *state, int to) {
  for (int i = 0; i < n; ++i)
    if (*state > 0) {
      MPI_Send(&x[i], 1, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
      MPI_Recv(state, 1, MPI_INT, to, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

// Each to another rank.
void to_owners(double *x, const int *owner, int n, int me) {
  for (int i = 0; i < n; ++i)
    if (owner[i] != me)
      MPI_Send(&x[i], 1, MPI_DOUBLE, owner[i], 1, MPI_COMM_WORLD);
}
