// Sums behind macros that look at what each call returns, by a function of another file or by leaving.
#include <mpi.h>
#include <stdio.h>

void give_up(const char *file, int line);

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    if ((call) != MPI_SUCCESS)                                                                                         \
      give_up(__FILE__, __LINE__);                                                                                     \
  } while (0)
#define SUM(x)                                                                                                         \
  do {                                                                                                                 \
    double all_;                                                                                                       \
    CHECK(MPI_Allreduce(&(x), &all_, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));                                         \
    (x) = all_;                                                                                                        \
  } while (0)
#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    int code_ = (call);                                                                                                \
    if (code_ != MPI_SUCCESS)                                                                                          \
      return code_;                                                                                                    \
  } while (0)

void report(const double *u, const double *v, int n, int step, int rank) {
  double energy = 0, volume = 0;
  for (int i = 0; i < n; ++i) {
    energy += u[i] * u[i];
    volume += v[i];
  }
  // expect: mpi-fusable-collectives medium "2 calls of MPI_Allreduce"
  SUM(energy);
  SUM(volume);
  if (rank == 0)
    printf("%d: %g %g\n", step, energy, volume);
}

int extremes(double least, double most, double *range) {
  double low, high;
  most = -most;
  // expect: mpi-fusable-collectives medium "2 calls of MPI_Allreduce"
  TRY(MPI_Allreduce(&least, &low, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD));
  TRY(MPI_Allreduce(&most, &high, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD));
  *range = -high - low;
  return MPI_SUCCESS;
}

void steps(double *u, double *v, int n, int count, int rank) {
  double range = 0;
  for (int step = 0; step < count; ++step) {
    for (int i = 0; i < n; ++i)
      u[i] += 0.5 * v[i] * range;
    report(u, v, n, step, rank);
    extremes(u[0], v[0], &range);
  }
}
