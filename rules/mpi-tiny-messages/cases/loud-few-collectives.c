// Three collective calls and more for one number each: no protocol is made of them, but a few count where they are often made.
#include <mpi.h>
#include <stdio.h>

static double totals[4], parameters[3];
void write_line(int kind, double number);

static void residuals(const double *x, int n, MPI_Comm comm) {
  double own[4];
  for (int v = 0; v < 4; v++) {
    own[v] = 0.0;
    for (int i = 0; i < n; i++)
      own[v] += x[4 * i + v];
  }
  for (int v = 0; v < 4; v++)
    // expect: mpi-tiny-messages medium "loop over 'v' passes 8 bytes per call"
    MPI_Allreduce(&own[v], &totals[v], 1, MPI_DOUBLE, MPI_SUM, comm);
}

// A number and its bound.
void bounds(const double *own, double *all, MPI_Comm comm) {
  for (int v = 0; v < 2; v++)
    MPI_Allreduce(&own[v], &all[v], 1, MPI_DOUBLE, MPI_MAX, comm);
}

// Once in a program, as far as one can see, and to one rank.
void collect(const double *own, double *all, MPI_Comm comm) {
  for (int v = 0; v < 4; v++)
    // expect: mpi-tiny-messages low "loop over 'v' passes 8 bytes per call"
    MPI_Reduce(&own[v], &all[v], 1, MPI_DOUBLE, MPI_SUM, 0, comm);
}

// Each so many steps.
static void print_energies(const double *own, int step, MPI_Comm comm) {
  double all[3];
  for (int v = 0; v < 3; v++)
    // expect: mpi-tiny-messages low "loop over 'v' passes 8 bytes per call"
    MPI_Allreduce(&own[v], &all[v], 1, MPI_DOUBLE, MPI_SUM, comm);
  printf("%d %g %g %g\n", step, all[0], all[1], all[2]);
}

static void print_kinds(double own[5][3], MPI_Comm comm) {
  for (int kind = 0; kind < 5; kind++) {
    for (int v = 0; v < 3; v++)
      // expect: mpi-tiny-messages low "loop over 'v' passes 8 bytes per call"
      MPI_Allreduce(MPI_IN_PLACE, &own[kind][v], 1, MPI_DOUBLE, MPI_SUM, comm);
    write_line(kind, own[kind][0]);
  }
}

static double iterate(double *x, const double *before, int n, MPI_Comm comm) {
  double left = 0.0, all;
  for (int i = 0; i < n; i++) {
    x[i] = 0.5 * (x[i] + before[i]);
    left += x[i];
  }
  MPI_Allreduce(&left, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  return all;
}

int main(int argc, char **argv) {
  static double x[400], before[400], kinds[5][3];
  MPI_Init(&argc, &argv);
  for (int v = 0; v < 3; v++)
    // expect: mpi-tiny-messages low "loop over 'v' passes 8 bytes per call"
    MPI_Bcast(&parameters[v], 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int step = 0; step < 1000; step++) {
    residuals(x, 100, MPI_COMM_WORLD);
    if (step % 100 == 0) {
      print_energies(x, step, MPI_COMM_WORLD);
      print_kinds(kinds, MPI_COMM_WORLD);
    }
  }
  for (int step = 0; step < 1000; step++) {
    double moments[3], sums[3];
    // Beside a solver's own they are few.
    while (iterate(x, before, 400, MPI_COMM_WORLD) > 1e-9)
      before[0] = x[0];
    for (int v = 0; v < 3; v++)
      moments[v] = x[v];
    for (int v = 0; v < 3; v++)
      // expect: mpi-tiny-messages low "loop over 'v' passes 8 bytes per call"
      MPI_Allreduce(&moments[v], &sums[v], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    before[1] = sums[0] + sums[1] + sums[2];
  }
  MPI_Finalize();
  return 0;
}
