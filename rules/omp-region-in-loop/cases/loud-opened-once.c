// flags: -fopenmp
// fixes: omp-region-in-loop
// Regions that one around the loop can replace: all that is serial within is a header, or a value that each thread can
// compute. What a region writes and the header reads, what only one thread may do, and clauses of teams stay as they
// are.
#include <stdio.h>

#define N 3000

static double a[N], b[N];
static int list[N], length = 40;

static void halve(int steps) {
  for (int s = 0; s < steps; s++) {
    const double by = 0.5 + 0.001 * s;
    // expect: omp-region-in-loop medium "work" fix
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++)
      a[list[i]] *= by;
  }
}

static double sum(int steps) {
  double all = 0.0;
  for (int s = 0; s < steps; s++)
  // expect: omp-region-in-loop high "work" fix
#pragma omp parallel for reduction(+ : all) schedule(static)
    for (int i = 0; i < N; i++)
      all += a[i] * b[i];
  return all;
}

// The region decides how often the loop runs.
static void until(void) {
  int *end = &length;
  for (int s = 0; s < length; s++) {
    // expect: omp-region-in-loop high "work" no-fix
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++) {
      b[i] += 1.0;
      if (i == 7 && s == 5)
        *end = 20;
    }
  }
}

// Each thread would count.
static int counted(int steps) {
  int done = 0;
  for (int s = 0; s < steps; s++) {
    // expect: omp-region-in-loop high "work" no-fix
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++)
      b[i] += a[i];
    done++;
  }
  return done;
}

static void few(int steps) {
  for (int s = 0; s < steps; s++) {
    // expect: omp-region-in-loop high "work" no-fix
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < N; i++)
      b[i] += a[i];
  }
}

// Without the directive within, each thread would do all of the work.
static void configured(int steps) {
  for (int s = 0; s < steps; s++) {
#ifndef SERIAL
    // expect: omp-region-in-loop high "work" no-fix
#pragma omp parallel for schedule(static)
#endif
    for (int i = 0; i < N; i++)
      b[i] += 0.5 * a[i];
  }
}

// The counter is read behind the loop.
static int last(int steps) {
  int s;
  for (s = 0; s < steps; s++) {
    // expect: omp-region-in-loop high "work" no-fix
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++)
      b[i] -= a[i];
  }
  return s;
}

int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = b[i] = i % 7, list[i] = N - 1 - i;
  halve(30);
  until();
  const int done = counted(30);
  few(30);
  configured(30);
  printf("%d %d %.6f\n", done, last(30), sum(30));
  return 0;
}
