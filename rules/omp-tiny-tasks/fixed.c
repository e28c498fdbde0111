// flags: -fopenmp
// A task for each block of 20,000 elements.
#include <stdio.h>

#define N 200000
#define BLOCK 20000

static double field[N];

int main(void) {
  for (int step = 0; step < 5; step++) {
#pragma omp parallel
#pragma omp single
    for (int b = 0; b < N; b += BLOCK) {
#pragma omp task firstprivate(b)
      for (int i = b; i < b + BLOCK; i++)
        field[i] = 0.5 * field[i] + i;
    }
  }
  printf("%.6g\n", field[N - 1]);
  return 0;
}
