// flags: -fopenmp
// The loop belongs to a directive of its own inside the region: what it declares, each thread has.
#include <stdio.h>
void inside(int n) {
#pragma omp parallel num_threads(2)
#pragma omp for
  for (int i = 0; i < n; i++)
    {
    int seen = i;
    seen++;
    printf("%d\n", seen);
  }
#pragma omp parallel
#pragma omp for
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int k = 0; k < i; k++)
      sum += k;
    printf("%d\n", sum);
  }
}
