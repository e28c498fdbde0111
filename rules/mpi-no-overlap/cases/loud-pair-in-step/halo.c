// An exchange in two functions, of which the second one asks until all is there.
#include "halo.h"

void halo_begin(struct halo *h, const double *u, double *ghost) {
  for (int i = 0; i < h->n; i++) {
    h->out[i] = u[h->n + i];
    h->out[h->n + i] = u[2 * h->n + i];
  }
  MPI_Irecv(ghost, h->n, MPI_DOUBLE, h->left, 0, MPI_COMM_WORLD, &h->requests[0]);
  MPI_Irecv(ghost + h->n, h->n, MPI_DOUBLE, h->right, 1, MPI_COMM_WORLD, &h->requests[1]);
  MPI_Isend(h->out, h->n, MPI_DOUBLE, h->left, 1, MPI_COMM_WORLD, &h->requests[2]);
  MPI_Isend(h->out + h->n, h->n, MPI_DOUBLE, h->right, 0, MPI_COMM_WORLD, &h->requests[3]);
}

void halo_end(struct halo *h) {
  int done = 0;
  while (!done)
    MPI_Testall(4, h->requests, &done, MPI_STATUSES_IGNORE);
}

void product(const double *u, double *next, int n) {
  for (int i = 1; i < n; i++)
    next[i] = 0.5 * (u[i - 1] + u[i]);
}
