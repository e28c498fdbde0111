// Two sums of unknown length: one is asked for in each step, one for each cell of each step.
#include "sums.h"

double weight(const float *values, int count) {
  double sum = 0.0;
  // expect: build-missed-vectorization low "the floating-point result 'sum' is combined in a fixed order"
  for (int i = 0; i < count; i++)
    sum += values[i];
  return sum;
}

double energy(const float *values, int count) {
  double sum = 0.0;
  // expect: build-missed-vectorization medium "the floating-point result 'sum' is combined in a fixed order"
  for (int i = 0; i < count; i++)
    sum += values[i] * values[i];
  return sum;
}
