#include "halo.h"

void run(struct halo *h, double *u, double *next, double *ghost, int steps) {
  for (int k = 0; k < steps; k++) {
    step(h, u, next, ghost);
    step(h, next, u, ghost);
  }
}
