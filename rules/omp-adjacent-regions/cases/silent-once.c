// flags: -fopenmp
// Initialisation, once per program.
#include <stdio.h>

#define N 1000000

static double a[N], b[N];

int main(int argc, char **argv) {
  (void)argv;
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    a[i] = argc;
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    b[i] = 1.0;
  printf("%g\n", a[argc] + b[argc]);
  return 0;
}
