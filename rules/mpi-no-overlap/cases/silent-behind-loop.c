// The work behind the loop of exchanges runs once, and needs what the loop made.
#include <mpi.h>

void residual(double *p, const double *r, double *q, double *z, const double *a, int n, int pairs, const int *partner) {
  double rho = 0.0;
  for (int step = 0; step < 25; step++) {
    double part = 0.0;
    for (int j = 0; j < n; j++) {
      part += r[j] * r[j];
      z[j] += p[j];
    }
    for (int i = 0; i < pairs; i++) {
      MPI_Request request;
      MPI_Irecv(&rho, 1, MPI_DOUBLE, partner[i], i, MPI_COMM_WORLD, &request);
      // expect: mpi-handmade-collective medium "'i' over partners combines values" no-fix
      MPI_Send(&part, 1, MPI_DOUBLE, partner[i], i, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      part += rho;
    }
    for (int j = 0; j < n; j++)
      p[j] = r[j] + part * p[j];
  }
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      q[j] += a[i] * z[i];
}
