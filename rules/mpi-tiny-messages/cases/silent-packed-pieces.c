// What comes is needed by the next one, no copy is made, or there are too many to be fields.
#include <mpi.h>

void passed_on(double (*r)[3], double *w, double *out, double *in, int sent, int to, int from) {
  for (int d = 0; d < 3; d++) {
    for (int k = 0; k < sent; k++)
      out[k] = w[k] * r[k][d];
    MPI_Sendrecv(out, sent, MPI_DOUBLE, to, 20 + d, in, sent, MPI_DOUBLE, from, 20 + d, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int k = 0; k < sent; k++)
      w[k] = in[k];
  }
}

void straight(double *r[3], int planes, int plane, int to, int from) {
  for (int d = 0; d < 3; d++)
    MPI_Sendrecv(r[d] + planes * plane, planes * plane, MPI_DOUBLE, to, 30 + d, r[d], planes * plane, MPI_DOUBLE, from,
                 30 + d, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void pairs(double (*r)[2], const int *list, int first, double *out, double *in, int sent, int got, int to, int from) {
  for (int d = 0; d < 2; d++) {
    for (int k = 0; k < sent; k++)
      out[k] = r[list[k]][d];
    MPI_Sendrecv(out, sent, MPI_DOUBLE, to, 20 + d, in, got, MPI_DOUBLE, from, 20 + d, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int k = 0; k < got; k++)
      r[first + k][d] = in[k];
  }
}
