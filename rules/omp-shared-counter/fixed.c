// flags: -fopenmp
// run-args: 1
// The mean distance of points from a middle.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DIMENSIONS 8

static double spread(int points, const double *middle) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int p = 0; p < points; p++) {
    double distance = 0;
    for (int d = 0; d < DIMENSIONS; d++)
      distance += (0.25 * p - middle[d]) * (0.25 * p - middle[d]);
    sum += sqrt(distance);
  }
  return sum / points;
}

int main(int argc, char **argv) {
  double middle[DIMENSIONS] = {3, 1, 4, 1, 5, 9, 2, 6};
  printf("%.3f\n", spread(argc > 1 ? atoi(argv[1]) : 20000, middle));
  return 0;
}
