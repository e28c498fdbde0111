// A task for each element.
// rule: omp-tiny-tasks @task -
// watch: omp
// flags: -fopenmp
// twin: a task for ten thousand
#include "truth.h"

#define N 300000

static double field[N];

int main(void) {
#ifdef TWIN
  const int block = 10000;
#else
  const int block = 1;
#endif
#pragma omp parallel
#pragma omp single
  for (int repeat = 0; repeat < (block > 1 ? 40 : 1); repeat++)
    for (int begin = 0; begin < N; begin += block) {
#pragma omp task firstprivate(begin) // @task
      for (int i = begin; i < begin + block; i++)
        field[i] += i;
    }
  printf("%g\n", field[N - 1]);
  return 0;
}
