// flags: -fopenmp
// A task for each element.
#include <stdio.h>

#define N 200000

static double field[N];

int main(void) {
  for (int step = 0; step < 5; step++) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < N; i++) {
      // expect-run: omp-tiny-tasks "1,000,000 tasks take" "taskloop grainsize(n)"
#pragma omp task firstprivate(i)
      field[i] = 0.5 * field[i] + i;
    }
  }
  printf("%.6g\n", field[N - 1]);
  return 0;
}
