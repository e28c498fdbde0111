// Behind the wait: nothing, a few elements, work under a condition, the next message, or code of another unit.
#include <mpi.h>
#include <stdio.h>

void solve(double *u, int n);

static void start_and_wait(double *in, double *out, int n, int left, int right, MPI_Comm comm) {
  MPI_Request request[2];
  MPI_Irecv(in, n, MPI_DOUBLE, left, 1, comm, &request[0]);
  MPI_Isend(out, n, MPI_DOUBLE, right, 1, comm, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

void few(double *in, double *out, int n, double *norm, int left, int right, MPI_Comm comm) {
  start_and_wait(in, out, n, left, right, comm);
  for (int k = 0; k < 3; k++)
    norm[k] = 0.5 * norm[k] + 1.0;
}

void sometimes(double *in, double *out, int n, double *u, int step, int left, int right, MPI_Comm comm) {
  start_and_wait(in, out, n, left, right, comm);
  if (step % 100 == 0) {
    double sum = 0.0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        sum += u[i * n + j];
    printf("%d %g\n", step, sum);
  }
}

void between_messages(double *in, double *out, int n, int left, int right, double *u, MPI_Comm comm) {
  start_and_wait(in, out, n, left, right, comm);
  start_and_wait(out, in, n, right, left, comm);
  solve(u, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[i * n + j] *= 0.5;
}
