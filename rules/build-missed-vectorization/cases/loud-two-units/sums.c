// Nothing here says how often these loops run.
#include "sums.h"

double squares(const float *a, int count) {
  double sum = 0.0;
  // expect: build-missed-vectorization medium "the floating-point result 'sum' is combined in a fixed order"
  for (int i = 0; i < count; i++)
    sum += a[i] * a[i];
  return sum;
}

// Called once, behind the solver.
double total(const float *values, int count) {
  double sum = 0.0;
  for (int i = 0; i < count; i++)
    sum += values[i];
  return sum;
}
