// The wait of each step is measured, although the exchange behind orders the ranks that need it.
#include <mpi.h>

extern double waited;

static void gravity(double *a, int n, int other) {
  for (int i = 1; i < n; i++)
    a[i] += 0.5 * a[i - 1];
  double begin = MPI_Wtime();
  // expect: mpi-redundant-barrier medium "orders nothing" "take the time without the barrier"
  MPI_Barrier(MPI_COMM_WORLD);
  waited += MPI_Wtime() - begin;
  MPI_Sendrecv(&a[n - 1], 1, MPI_DOUBLE, other, 0, &a[0], 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void run(double *a, int n, int other, int steps) {
  for (int step = 0; step < steps; step++) {
    gravity(a, n, other);
    for (int i = 0; i < n; i++)
      a[i] *= 0.99;
  }
}
