// flags: -fopenmp
// Each step begins with a table that one thread fills, while the others wait for it.
#include <math.h>
#include <stdio.h>

#define N 20000

static double table[N], field[N];

int main(void) {
#pragma omp parallel
  for (int step = 0; step < 100; step++) {
    // expect-run: omp-single-wait "one thread works here while the others wait at the end of the single (100 times" "nowait"
#pragma omp single
    for (int i = 0; i < N; i++)
      table[i] = sin(0.001 * i + step) * exp(-0.0001 * i);
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      field[i] += cos(table[N - 1 - i]);
  }
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum += field[i];
  printf("%.6f\n", sum);
  return 0;
}
