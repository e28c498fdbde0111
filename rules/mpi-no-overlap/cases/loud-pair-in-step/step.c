#include "halo.h"

void step(struct halo *h, const double *u, double *next, double *ghost) {
  halo_begin(h, u, ghost);
  // expect: mpi-no-overlap medium "halo_begin and halo_end are two functions so that work can run between them"
  halo_end(h);
  product(u, next, h->n);
  for (int i = 0; i < h->n; i++)
    next[i] += 0.5 * ghost[i];
}
