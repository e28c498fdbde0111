// flags: -fopenmp
// Once per program a few microseconds do not matter.
#include <stdio.h>

static double table[32];

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 32; i++)
    table[i] = 1.0 / (i + 1);
  printf("%.6f\n", table[31]);
  return 0;
}
