// One has a loop of its own, one leaves a trace.
#include "work.h"

static int calls;

double series(double x, int terms) {
  double sum = 0.0;
  for (int k = terms; k > 0; k--)
    sum = (sum + 1.0) * x / k;
  return sum;
}

double counted(double x) {
  calls++;
  return 2.0 * x + calls;
}

double scaled(double x, float by) { return x * by; }

double shifted(double x, float by) { return x + by; }
