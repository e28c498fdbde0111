// flags: -fopenmp
// The region is in a function that the loop calls; its length is known there.
#include <stddef.h>

#define MODES 6000

static double mode[MODES], force[MODES];

static void advance(double dt) {
  // expect: omp-region-in-loop high "about 10 us of work"
#pragma omp parallel for schedule(static)
  for (int m = 0; m < MODES; m++)
    mode[m] += dt * force[m];
}

static double row_sum(const double *row, size_t n) {
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (size_t j = 0; j < n; j++)
    sum += row[j];
  return sum;
}

void integrate(int steps, double dt) {
  for (int s = 0; s < steps; s++)
    advance(dt);
}

double trace(const double *v, size_t n) { return row_sum(v, n); }
