// flags: -fopenmp
// A task for each block, of which the first is as long as all others together and once more.
#include <math.h>
#include <stdio.h>

#define BLOCKS 9

static double result[BLOCKS];

static double block(int length) {
  double sum = 0;
  for (int i = 0; i < length; i++)
    sum += sqrt(1.0 + i) * 0.5;
  return sum;
}

int main(void) {
  for (int step = 0; step < 10; step++) {
#pragma omp parallel
#pragma omp single
    for (int b = 0; b < BLOCKS; b++) {
      // expect-run: omp-long-task high "at the end of its tasks (10 times), since one task takes" "divide the long task into several"
#pragma omp task firstprivate(b)
      result[b] += block(b == 0 ? 3200000 : 200000);
    }
  }
  double sum = 0;
  for (int b = 0; b < BLOCKS; b++)
    sum += result[b];
  printf("%.6g\n", sum);
  return 0;
}
