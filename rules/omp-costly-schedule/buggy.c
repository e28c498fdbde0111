// flags: -fopenmp
// fixes: omp-costly-schedule
// Every iteration does the same few operations, and is fetched one by one from a counter that all threads share.
#include <stdio.h>

#define N 120000
#define ROWS 600

static double a[N], b[N], c[N];
static double table[ROWS][ROWS];

int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = i % 17;
    b[i] = i % 5;
  }

  for (int step = 0; step < 4; step++) {
    // expect: omp-costly-schedule high "about 1 ns of work" "dynamic,1" fix
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N; i++)
      c[i] = a[i] + 0.5 * b[i];

    // expect: omp-costly-schedule high "about 10 ns of work" "dynamic,4" fix
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 1; i < N - 1; i++)
      a[i] = 0.25 * (c[i - 1] + 2.0 * c[i] + c[i + 1]);
  }

  // Chunks of a thousand iterations hide the cost of fetching them.
#pragma omp parallel for schedule(dynamic, 4096)
  for (int i = 0; i < N; i++)
    b[i] = c[i] - a[i];

  // Rows of a triangle differ in length.
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j <= i; j++)
      table[i][j] = a[i] * b[j];

  double sum = 0.0;
  for (int i = 0; i < ROWS; i++)
    sum += table[i][i / 2] + c[i];
  printf("%.6f\n", sum);
  return 0;
}
