// Particles that one neighbour has sent, as many as it has: MPI_Probe comes back when they are there, not when the nap
// is over. Who waits for whichever rank may nap: nobody knows when that comes.
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static int take(double *from, int most, int left) {
  MPI_Status status;
  int there = 0, n;
  while (!there) {
    MPI_Iprobe(left, 3, MPI_COMM_WORLD, &there, &status);
    if (!there)
      // expect: run-sleep-in-loop medium "usleep stops each iteration of the loop 'step' for 100 us" "MPI_Probe"
      usleep(100);
  }
  MPI_Get_count(&status, MPI_DOUBLE, &n);
  MPI_Recv(from, n < most ? n : most, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return n;
}

static int take_any(double *from, int most) {
  MPI_Status status;
  int there = 0, n;
  while (!there) {
    MPI_Iprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &there, &status);
    if (!there)
      usleep(100);
  }
  MPI_Get_count(&status, MPI_DOUBLE, &n);
  MPI_Recv(from, n < most ? n : most, MPI_DOUBLE, status.MPI_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return n;
}

int main(int argc, char **argv) {
  int rank, ranks, n = argc > 1 ? atoi(argv[1]) : 1000;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double *u = calloc(n, sizeof *u), *f = calloc(n, sizeof *f), *w = calloc(n, sizeof *w);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  for (int step = 0; step < 100; step++) {
    MPI_Request sent[2];
    MPI_Isend(u, n, MPI_DOUBLE, right, 3, MPI_COMM_WORLD, &sent[0]);
    MPI_Isend(w, n, MPI_DOUBLE, right, 4, MPI_COMM_WORLD, &sent[1]);
    take(f, n, left);
    take_any(f, n);
    MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
    for (int i = 1; i < n - 1; i++)
      w[i] = u[i], u[i] = 0.5 * (f[i - 1] + f[i + 1]);
  }
  MPI_Finalize();
  return u[1] > 1.0;
}
