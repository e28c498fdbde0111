// flags: -fopenmp
// fixes: omp-critical-section
// A reduction where only the section knows the sum; an atomic update where others look at it meanwhile.
#include <stdio.h>

#define N 20000

static double value[N];

static double sum_of_squares(int n) {
  double sum = 0.0;
  long used = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) {
      if (value[i] > 0.0) {
        // expect: omp-critical-section medium "a critical section" "'sum' and 'used'" unsafe-fix
#pragma omp critical(sums)
        {
          sum += value[i] * value[i];
          used++;
        }
      }
    }
  }
  return used ? sum / (double)used : 0.0;
}

// Some other thread reads the sum before the loop is over.
static double watched(int n, double *seen) {
  double sum = 0.0;
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++) {
      // expect: omp-critical-section high "a critical section" "'sum'"
#pragma omp critical(watched)
      sum += value[i];
    }
#pragma omp master
    {
#pragma omp critical(watched)
      *seen = sum;
    }
  }
  return sum;
}

// The clause that names the variable would name it twice.
static double named(int n) {
  double sum = 0.0;
#pragma omp parallel for shared(sum, value) firstprivate(n) default(none)
  for (int i = 0; i < n; i++) {
    // expect: omp-critical-section high "a critical section" "'sum'" fix
#pragma omp critical(named)
    sum += value[i];
  }
  return sum;
}

int main(void) {
  for (int i = 0; i < N; i++)
    value[i] = i % 9 - 2;
  double seen = 0.0;
  double squares = sum_of_squares(N), all = watched(N, &seen);
  printf("%.6f %.0f %d %.0f\n", squares, all, seen <= all + N, named(N));
  return 0;
}
