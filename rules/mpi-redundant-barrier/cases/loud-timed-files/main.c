// Clocks of the other file that are not next to the barrier: within a function that communicates, and behind one that
// computes, here or there.
#include <mpi.h>

double seconds(void);
void relax(double *u, int n);
void exchange(double *u, int n, int left, int right);

__attribute__((noinline)) static void settle(double *u, int n) {
  for (int i = 1; i < n - 1; i++)
    u[i] = 0.25 * (u[i - 1] + 2.0 * u[i] + u[i + 1]);
}

double advance(double *u, int n, int steps, int left, int right) {
  double spent = 0.0;
  for (int step = 0; step < steps; step++) {
    relax(u, n);
    exchange(u, n, left, right);
    // expect: mpi-redundant-barrier medium "in the loop at line 16"
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int step = 0; step < steps; step++) {
    // expect: mpi-redundant-barrier medium "in the loop at line 22"
    MPI_Barrier(MPI_COMM_WORLD);
    relax(u, n);
    const double begin = seconds();
    exchange(u, n, left, right);
    spent += seconds() - begin;
    relax(u, n);
  }
  for (int step = 0; step < steps; step++) {
    // expect: mpi-redundant-barrier medium "in the loop at line 31"
    MPI_Barrier(MPI_COMM_WORLD);
    settle(u, n);
    const double begin = seconds();
    exchange(u, n, left, right);
    spent += seconds() - begin;
    settle(u, n);
  }
  return spent;
}
