#include "halo.h"

void steps(struct halo *h, double *u, double *next, int rows, int count) {
  for (int step = 0; step < count; step++) {
    halo_begin(h, u);
    // expect: mpi-no-overlap medium "halo_begin and halo_end are two functions so that work can run between them" "move what needs none of what arrives"
    halo_end(h, u);
    relax(u, next, rows, h->n);
    halo_begin(h, next);
    // expect: mpi-no-overlap medium
    halo_end(h, next);
    for (int i = h->n; i < 3 * h->n; i++)
      u[i] = 0.5 * (next[i - h->n] + next[i + h->n]);
  }
}
