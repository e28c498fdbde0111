// flags: -fopenmp
// fixes: omp-adjacent-regions
// Regions that become one: what stands between them is a value that each thread can compute. A value made of what the
// first region sums up, one that is used behind the last region, and a clause for the team stay.
#include <stdio.h>

#define N 3000

static double a[N], b[N];

static void scaled(int k) {
  // expect: omp-adjacent-regions high "line" fix, omp-region-in-loop high
#pragma omp parallel for schedule(static)
  for (int i = 0; i < N; i++) {
    a[i] += 1.0;
  }
  const double by = 0.25 * k;
  // expect: omp-region-in-loop high
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    if (b[i] > 3.0)
      b[i] *= by;
    else
      b[i] += a[i];
}

static void normed(void) {
  double all = 0.0;
  // expect: omp-adjacent-regions high "line" no-fix, omp-region-in-loop high
#pragma omp parallel for reduction(+ : all)
  for (int i = 0; i < N; i++)
    all += a[i];
  double by = 1.0 / (1.0 + all);
  // expect: omp-region-in-loop high
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    b[i] *= by;
}

static double kept(int k) {
  // expect: omp-adjacent-regions high "line" no-fix, omp-region-in-loop high
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    a[i] += 1.0;
  double by = 0.5 * k;
  // expect: omp-region-in-loop high
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    b[i] += by;
  return by;
}

static void two(void) {
  // expect: omp-adjacent-regions high "line" no-fix, omp-region-in-loop high
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < N; i++)
    a[i] += 1.0;
  // expect: omp-region-in-loop high
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < N; i++)
    b[i] += a[i];
}

// A configuration without the directives would have one brace alone.
static void configured(void) {
#ifndef SERIAL
  // expect: omp-adjacent-regions high "line" no-fix, omp-region-in-loop high
#pragma omp parallel for
#endif
  for (int i = 0; i < N; i++)
    a[i] += 1.0;
#ifndef SERIAL
  // expect: omp-region-in-loop high
#pragma omp parallel for
#endif
  for (int i = 0; i < N; i++)
    b[i] += a[i];
}

int main(void) {
  double sum = 0.0;
  for (int s = 0; s < 50; s++) {
    scaled(s);
    normed();
    sum += kept(s);
    two();
    configured();
  }
  for (int i = 0; i < N; i++)
    sum += a[i] + b[i];
  printf("%.3f\n", sum);
  return 0;
}
