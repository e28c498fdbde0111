#include "halo.h"

// Something is received meanwhile that was begun before.
void late(struct plan *p, struct plan *q, double *x, double *y) {
  struct handle *early = begin(q, x);
  end(begin(p, x));
  end(early);
  multiply(p, x, y);
  x[0] = y[0];
}
