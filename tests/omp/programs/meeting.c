/* One region for all steps; its loop gives the second thread three times the work of the first. */
#include <math.h>
#include <stdio.h>

static double sums[1200];

int main(void) {
#pragma omp parallel
  for (int step = 0; step < 20; step++) {
#pragma omp for schedule(static)
    for (int i = 0; i < 1200; i++) {
      double sum = 0;
      for (int j = 0; j <= i; j++)
        sum += sqrt(1.0 + i * 0.5 + j);
      sums[i] = sum;
    }
  }
  printf("%.3f\n", sums[7]);
  return 0;
}
