// flags: -fopenmp
// The long block is divided into sixteen tasks.
#include <math.h>
#include <stdio.h>

#define BLOCKS 24

static double result[BLOCKS];

static double block(int begin, int end) {
  double sum = 0;
  for (int i = begin; i < end; i++)
    sum += sqrt(1.0 + i) * 0.5;
  return sum;
}

int main(void) {
  for (int step = 0; step < 10; step++) {
#pragma omp parallel
#pragma omp single
    for (int b = 0; b < BLOCKS; b++) {
#pragma omp task firstprivate(b)
      result[b] += b < 16 ? block(b * 200000, (b + 1) * 200000) : block(0, 200000);
    }
  }
  double sum = 0;
  for (int b = 0; b < BLOCKS; b++)
    sum += result[b];
  printf("%.6g\n", sum);
  return 0;
}
