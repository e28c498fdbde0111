// Each exchange packs its rows into a buffer that it allocates: the second one has packed the same.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

extern int nx, ny, nz, below, above;
#define AT(i, j, k) ((i) + nx * ((j) + (ny + 2) * (k)))

static void halo(double *v) {
  const int n = nx * nz;
  double *b = calloc(2 * n, sizeof(double));
  MPI_Request requests[2];
  for (int k = 0; k < nz; k++)
    memcpy(b + k * nx, v + AT(0, 1, k), nx * sizeof(double));
  MPI_Irecv(b + n, n, MPI_DOUBLE, below, 21, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(b, n, MPI_DOUBLE, above, 21, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int k = 0; k < nz; k++)
    memcpy(v + AT(0, 0, k), b + k * nx + n, nx * sizeof(double));
  free(b);
}

static void product(double *x, double *y) {
  // expect: mpi-duplicate-exchange high "sends 'b' a second time after line 35"
  halo(x);
  for (int k = 0; k < nz; k++)
    for (int j = 1; j <= ny; j++)
      for (int i = 0; i < nx; i++)
        y[AT(i, j, k)] = x[AT(i, j, k)] - 0.5 * x[AT(i, j - 1, k)];
}

void solve(double *x, double *y, int iterations) {
  for (int it = 0; it < iterations; it++) {

    halo(x);
    product(x, y);
    for (int i = 0; i < nx * (ny + 2) * nz; i++)
      x[i] += 0.1 * y[i];
  }
}

static void edges(double *v, int n) {
  double *out = malloc(n * sizeof(double)), *in = malloc(n * sizeof(double));
  for (int i = 0; i < n; i++)
    out[i] = v[i];
  MPI_Sendrecv(out, n, MPI_DOUBLE, above, 3, in, n, MPI_DOUBLE, below, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++)
    v[n + i] = in[i];
  free(out);
  free(in);
}

double steps(double *v, int n, int count) {
  double sum = 0;
  for (int step = 0; step < count; step++) {
    edges(v, n);
    for (int i = 0; i < n; i++)
      sum += v[n + i] * v[i];
    // expect: mpi-duplicate-exchange high "sends 'out' a second time"
    edges(v, n);
    for (int i = 0; i < n; i++)
      v[i] += 0.5 * v[n + i];
  }
  return sum;
}
