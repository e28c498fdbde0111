// flags: -fopenmp
// fixes: omp-false-sharing
// What the text alone can keep apart: counts that a thread adds up by itself, and arrays that get a line for each
// element.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 64, COUNT = 400000 };

static double energy[THREADS], heat[THREADS], first[THREADS] = {1.0, 2.0}, *other;

static double warm[THREADS], *const start = warm; // known by another name

static void clear(double *values) { memset(values, 0, THREADS * sizeof(double)); }

static void count_above(const double *x, int *above) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    above[me] = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < COUNT; i++)
      if (x[i] > 0.5)
        // expect: omp-false-sharing high "'above'" fix
        above[me]++;
  }
}

// What the loop reads may be the counts, as far as their types tell.
static void count_marked(const int *marks, int *marked) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp for
    for (int i = 0; i < COUNT; i++)
      if (marks[i])
        // expect: omp-false-sharing high "'marked'" unsafe-fix
        marked[me] += marks[i];
  }
}

// Behind the loop all threads look at all counts.
static void count_shared(const double *x, int *below, int *all) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp for
    for (int i = 0; i < COUNT; i++)
      if (x[i] < 0.25)
        // expect: omp-false-sharing high "'below'" no-fix
        below[me] += 2;
    int known = 0;
    for (int t = 0; t < omp_get_num_threads(); t++)
      known += below[t];
    all[me] = known;
  }
}

// The count itself decides whether it goes on.
static void count_few(const double *x, int *few) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp for
    for (int i = 0; i < COUNT; i++)
      if (x[i] < 0.75 && few[me] < 1000000)
        // expect: omp-false-sharing high "'few'" no-fix
        few[me]++;
  }
}

// Sums of floating-point numbers round otherwise when they begin at zero.
static void add_up(const double *x, double *sum) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp for
    for (int i = 0; i < COUNT; i++)
      // expect: omp-false-sharing high "'sum'" no-fix
      sum[me] += x[i];
  }
}

static void arrays(const double *x) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    energy[me] = 0.0;
#pragma omp for
    for (int i = 0; i < COUNT; i++)
      if (x[i] > 0.01)
        // expect: omp-false-sharing high "'energy'" fix
        energy[me] += x[i] * x[i];
#pragma omp for
    for (int i = 0; i < COUNT; i++)
      if (x[i] > 0.01)
        // expect: omp-false-sharing high "'heat'" no-fix
        heat[me] += x[i];
#pragma omp for
    for (int i = 0; i < COUNT; i++)
      if (x[i] > 0.01)
        // expect: omp-false-sharing high "'first'" no-fix
        first[me] += x[i];
#pragma omp for
    for (int i = 0; i < COUNT; i++)
      if (x[i] > 0.01)
        // expect: omp-false-sharing high "'warm'" no-fix
        warm[me] += x[i];
  }
}

int main(void) {
  double *x = malloc(COUNT * sizeof *x), sum[THREADS] = {0};
  int *marks = malloc(COUNT * sizeof *marks), above[THREADS], marked[THREADS] = {0}, below[THREADS] = {0};
  int all[THREADS] = {0}, few[THREADS] = {0};
  if (!x || !marks)
    return 1;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < COUNT; i++) {
    x[i] = (double)(i * 7 % 1000) / 1000.0;
    marks[i] = i % 3;
  }
  memset(above, 0, sizeof above);
  clear(heat);
  other = heat;
  count_above(x, above);
  count_marked(marks, marked);
  count_shared(x, below, all);
  count_few(x, few);
  add_up(x, sum);
  arrays(x);
  long counts = 0;
  double total = other[0] < 0;
  for (int t = 0; t < THREADS; t++) {
    counts += above[t] + marked[t] + below[t] + few[t];
    total += energy[t] + heat[t] + sum[t] + start[t];
  }
  printf("%ld %.6f %d\n", counts, total, first[1] > 0);
  free(x);
  free(marks);
  return 0;
}
