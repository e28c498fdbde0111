// Steps that measure themselves: a nap that waits for messages is none that the measurement asks for.
#include <mpi.h>
#include <unistd.h>

double run(double *u, int n, int steps, int left, int right) {
  double inside = 0.0;
  for (int step = 0; step < steps; step++) {
    const double begin = MPI_Wtime();
    MPI_Request requests[2];
    int done = 0;
    MPI_Irecv(u, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(u + n - 2, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[1]);
    while (!done) {
      MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
      if (!done)
        // expect: run-sleep-in-loop medium "usleep stops each iteration of the loop 'step' for 200 us"
        usleep(200);
    }
    // expect: run-sleep-in-loop low "usleep stops each iteration of the loop 'step' for 50 us"
    usleep(50);
    for (int i = 1; i < n - 1; i++)
      u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    inside += MPI_Wtime() - begin;
  }
  return inside;
}
