// The borders are exchanged at the end of each step, and again at the begin of the next one.
#include <mpi.h>

static void borders(double *u, int n, int up, int down) {
  MPI_Sendrecv(u + n, n, MPI_DOUBLE, up, 1, u, n, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + 8 * n, n, MPI_DOUBLE, down, 1, u + 9 * n, n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void relax(const double *u, double *v, int n) {
  for (int j = 1; j < 9; j++)
    for (int i = 1; i < n - 1; i++)
      v[j * n + i] = 0.25 * (u[j * n + i - 1] + u[j * n + i + 1] + u[(j - 1) * n + i] + u[(j + 1) * n + i]);
}

static double change(const double *u, const double *v, int n) {
  double mine = 0.0, all;
  for (int i = 0; i < 10 * n; i++)
    mine += (u[i] - v[i]) * (u[i] - v[i]);
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

double steps(double *restrict u, double *restrict v, int n, int up, int down, int most) {
  double left = 1.0;
  for (int step = 0; step < most && left > 1e-9; step++) {
    // expect: mpi-duplicate-exchange high "a second time after line 31 of the iteration before"
    borders(u, n, up, down);
    relax(u, v, n);
    for (int i = n; i < 9 * n; i++)
      u[i] = v[i];
    borders(u, n, up, down);
    left = change(u, v, n);
  }
  return left;
}

// What is between the two steps writes cells that are sent.
double driven(double *restrict u, double *restrict v, int n, int up, int down, int most) {
  double left = 1.0;
  for (int step = 0; step < most && left > 1e-9; step++) {
    u[n + 1] = u[8 * n + 1] = step;
    borders(u, n, up, down);
    relax(u, v, n);
    for (int i = n; i < 9 * n; i++)
      u[i] = v[i];
    borders(u, n, up, down);
    left = change(u, v, n);
  }
  return left;
}

// Every second step alone ends with an exchange.
double seldom(double *restrict u, double *restrict v, int n, int up, int down, int most) {
  double left = 1.0;
  for (int step = 0; step < most && left > 1e-9; step++) {
    borders(u, n, up, down);
    relax(u, v, n);
    for (int i = n; i < 9 * n; i++)
      u[i] = v[i];
    if (step % 2)
      borders(u, n, up, down);
    left = change(u, v, n);
  }
  return left;
}

// Two arrays that change places.
double swapped(double *restrict u, double *restrict v, int n, int up, int down, int most) {
  for (int step = 0; step < most; step++) {
    borders(u, n, up, down);
    relax(u, v, n);
    borders(v, n, up, down);
    double *last = u;
    u = v;
    v = last;
    relax(u, v, n);
  }
  return u[n];
}
