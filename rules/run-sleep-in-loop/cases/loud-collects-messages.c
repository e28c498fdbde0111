// Numbers of all ranks, one after another: MPI_Recv waits for whichever comes first. A server that also looks at its
// work, or that does not know how many will come, may nap.
#include <mpi.h>
#include <unistd.h>

static void collect(int *counts, int ranks) {
  for (int done = 1; done < ranks;) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, &there, &status);
    if (!there) {
      // expect: run-sleep-in-loop medium "usleep stops each iteration of the loop 'step' for 500 us"
      usleep(500);
      continue;
    }
    MPI_Recv(&counts[status.MPI_SOURCE], 1, MPI_INT, status.MPI_SOURCE, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    done++;
  }
}

static void serve(int *counts) {
  int tag = 0;
  while (tag != 9) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (!there) {
      usleep(500);
      continue;
    }
    MPI_Recv(&counts[status.MPI_SOURCE], 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    tag = status.MPI_TAG;
  }
}

double run(double *u, int n, int *counts, int steps, int ranks, int rank) {
  for (int step = 0; step < steps; step++) {
    for (int i = 1; i < n - 1; i++)
      u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    if (rank == 0)
      collect(counts, ranks);
    else
      MPI_Send(&n, 1, MPI_INT, 0, 21, MPI_COMM_WORLD);
    if (rank == 1)
      serve(counts);
  }
  return u[1];
}
