// Calls of functions that are no formulas, another one in each iteration, and a library's.
#include "work.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 4000 };

static double x[COUNT], y[COUNT];

typedef double (*Formula)(double, float);
static Formula table[COUNT];

int main(void) {
  for (int i = 0; i < COUNT; i++) {
    x[i] = i % 5;
    table[i] = i % 2 ? scaled : shifted;
  }
  for (int step = 0; step < 50; step++) {
    for (int i = 0; i < COUNT; i++)
      y[i] = series(x[i], 8);
    for (int i = 0; i < COUNT; i++)
      x[i] = counted(y[i]);
    for (int i = 0; i < COUNT; i++)
      y[i] = table[i](x[i], 0.5f);
    for (int i = 0; i < COUNT; i++)
      x[i] = y[i] * drand48();
  }
  printf("%.6f\n", x[7]);
  return 0;
}
