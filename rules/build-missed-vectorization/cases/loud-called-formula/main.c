// Each element is a call of a formula that another unit has, or of one that only the run knows.
#include "state.h"
#include <stdio.h>

enum { COUNT = 4000 };

static double rho[COUNT], energy[COUNT], p[COUNT], sound[COUNT];

static void primitives(void) {
  // expect: build-missed-vectorization medium "each iteration calls 'pressure'" "-flto"
  for (int i = 0; i < COUNT; i++)
    p[i] = pressure(rho[i], energy[i]);
}

typedef double (*Formula)(double, double);

static void speeds(Formula formula) {
  // expect: build-missed-vectorization medium "only the run knows, the same one in all of them" "hold the loop"
  for (int i = 0; i < COUNT; i++)
    sound[i] = 0.5 * formula(rho[i], p[i]);
}

// A sum down a column needs more than the formula's body.
static double *rows[COUNT];

static double column(int k) {
  double sum = 0.0;
  // expect: build-missed-vectorization low "each iteration calls 'pressure'"
  for (int i = 0; i < COUNT; i++)
    sum += pressure(rows[i][k], energy[i]);
  return sum;
}

int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < COUNT; i++)
    rho[i] = 1.0 + i % 7, energy[i] = 2.0, rows[i] = &rho[i / 2];
  double total = 0.0;
  for (int step = 0; step < 50; step++) {
    total += column(step % 3);
    primitives();
    speeds(argc > 1 ? stiff : pressure);
    for (int i = 0; i < COUNT; i++)
      energy[i] -= 1e-3 * (p[i] + sound[i]);
  }
  printf("%.6f %.6f\n", energy[7], total);
  return 0;
}
