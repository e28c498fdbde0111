/* Loops on a matrix by threads. A change may define REGION or ORDER. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 1200 }; /* a column touches more lines than a first level holds */
static double a[N][N], b[N][N];

static void smooth(void) {
#pragma omp parallel for
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      a[i][j] += 0.5 * b[i][j];
#ifdef REGION
#pragma omp parallel for
  for (int i = 0; i < N; ++i)
    b[i][0] = 0;
#endif
}

static double total(void) {
  double sum = 0;
#ifdef ORDER
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < N; ++i)
      sum += a[i][j];
#else
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      sum += a[i][j];
#endif
  return sum;
}

int main(int argc, char **argv) {
  double sum = 0;
  for (int step = 0; step < 5 + argc - 1; ++step) {
    smooth();
    sum += total();
  }
  printf("%g\n", sum);
  return argc < 0 || argv == NULL;
}
