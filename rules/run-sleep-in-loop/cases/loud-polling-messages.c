// An exchange in each step that asks for its own messages, naps, and asks again: MPI_Wait comes back when they are
// there, not when the nap is over.
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static void exchange(double *strip, int n, int left, int right) {
  MPI_Request both[2];
  int done = 0;
  MPI_Irecv(strip, n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &both[0]);
  MPI_Isend(strip + n, n, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &both[1]);
  while (!done) {
    MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE);
    if (!done)
      // expect: run-sleep-in-loop medium "usleep stops each iteration of the loop 'step' for 50 us"
      usleep(50);
  }
}

// Between two looks it works: the nap is for when there is nothing to do.
static void overlap(double *strip, const double *f, double *u, int n, int left, int right) {
  MPI_Request one;
  int done = 0, at = 1;
  MPI_Irecv(strip, n, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &one);
  MPI_Send(strip + n, n, MPI_DOUBLE, right, 1, MPI_COMM_WORLD);
  while (!done) {
    MPI_Test(&one, &done, MPI_STATUS_IGNORE);
    if (at < n)
      u[at] = 0.5 * f[at], at++;
    else if (!done)
      usleep(50);
  }
}

// One of several, whichever comes first: others may come meanwhile.
static void any(double *strip, int n, int left, int right) {
  MPI_Request both[2];
  int done = 0, which;
  MPI_Irecv(strip, n, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &both[0]);
  MPI_Isend(strip + n, n, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &both[1]);
  while (!done) {
    MPI_Testany(2, both, &which, &done, MPI_STATUS_IGNORE);
    if (!done)
      usleep(50);
  }
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  int rank, ranks, n = argc > 1 ? atoi(argv[1]) : 1000;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double *strip = calloc(2 * (size_t)n, sizeof *strip), *u = calloc(n, sizeof *u), *f = calloc(n, sizeof *f);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  for (int step = 0; step < 100; step++) {
    exchange(strip, n, left, right);
    overlap(strip, f, u, n, left, right);
    any(strip, n, left, right);
    for (int i = 1; i < n - 1; i++)
      u[i] = 0.5 * (f[i - 1] + f[i + 1]) + strip[0];
    for (int i = 1; i < n - 1; i++)
      f[i] = u[i];
  }
  MPI_Finalize();
  return u[1] > 1.0;
}
