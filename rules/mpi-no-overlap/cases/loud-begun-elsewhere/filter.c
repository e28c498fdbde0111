#include "halo.h"

void filter(double *restrict u, double *restrict w, int n, int rows, int passes, int lo, int hi) {
  MPI_Request requests[4];
  for (int pass = 0; pass < passes; pass++) {
    begin(u, n, rows, lo, hi, requests);
    // expect: mpi-no-overlap medium "begin leaves them under way"
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int j = 1; j <= rows; j++)
      for (int i = 1; i < n - 1; i++)
        w[j * n + i] = 0.25 * (u[j * n + i - 1] + u[j * n + i + 1] + u[(j - 1) * n + i] + u[(j + 1) * n + i]);
    for (int j = 1; j <= rows; j++)
      for (int i = 1; i < n - 1; i++)
        u[j * n + i] = w[j * n + i];
  }
}
