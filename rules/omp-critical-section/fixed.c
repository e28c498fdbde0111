// flags: -fopenmp
// A distance statistic: threads keep their own sums, counters are updated atomically.
#include <stdio.h>

#define POINTS 100000
#define BINS 64

static double x[POINTS], y[POINTS];
static long histogram[BINS];

int main(void) {
  for (int i = 0; i < POINTS; i++) {
    x[i] = i % 113;
    y[i] = i % 57;
  }

  double total = 0.0;
#pragma omp parallel for reduction(+ : total)
  for (int i = 0; i < POINTS; i++)
    total += x[i] * x[i] + y[i] * y[i];

  double far = 0.0;
#pragma omp parallel for reduction(max : far)
  for (int i = 0; i < POINTS; i++) {
    double distance = x[i] * x[i] + y[i] * y[i];
    if (distance > far)
      far = distance;
  }

#pragma omp parallel for reduction(+ : histogram[:BINS])
  for (int i = 0; i < POINTS; i++) {
    int bin = (int)(x[i] + y[i]) % BINS;
    histogram[bin]++;
  }

  double checked = 0.0;
#pragma omp parallel
  {
    double mine = 0.0;
#pragma omp for
    for (int i = 0; i < POINTS; i++)
      mine += x[i];
#pragma omp critical(hand)
    checked += mine;
  }

  int where = 0;
  double largest = 0.0;
#pragma omp parallel for
  for (int i = 0; i < POINTS; i++) {
    // may-run: omp-critical-section
#pragma omp critical(pair)
    if (x[i] * y[i] > largest || (x[i] * y[i] == largest && i < where)) {
      largest = x[i] * y[i];
      where = i;
    }
  }

  printf("%.0f %.0f %ld %.0f %.0f %d\n", total, far, histogram[7], checked, largest, where);
  return 0;
}
