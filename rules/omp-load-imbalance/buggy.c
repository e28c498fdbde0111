// flags: -fopenmp
// The potential of a triangle: late rows are longer, and the last thread gets all of them.
#include <math.h>
#include <stdio.h>

#define ROWS 1200

static double row_sum[ROWS];

static double potential(int i, int j) { return sqrt(1.0 + (i - j) * 0.125) / (1.0 + j); }

int main(void) {
  for (int step = 0; step < 20; step++) {
    // expect: omp-load-imbalance high "last thread" no-fix
    // expect-run: omp-load-imbalance high "20 times" "for thread" "schedule"
#pragma omp parallel for schedule(static)
    for (int i = 0; i < ROWS; i++) {
      double sum = 0.0;
      for (int j = 0; j <= i; j++)
        sum += potential(i, j);
      row_sum[i] = sum;
    }
  }
  double total = 0.0;
  for (int i = 0; i < ROWS; i++)
    total += row_sum[i];
  printf("%.6f\n", total);
  return 0;
}
