// flags: -fopenmp
// The largest of all, kept in one variable by all threads: by a comparison, by a function, with more that goes with it;
// and what most iterations come to behind a way out.
#include <math.h>

static double highest;
static int where;

static void note(double v, int i) {
  if (v > highest) {
    // expect: omp-shared-counter high "update the same 'highest'" "give each thread a 'highest' of its own" no-fix
    highest = v;
    where = i;
  }
}

double largest(const double *x, const double *y, const int *skip, int n) {
  double change = 0, far = 0, least = 1e300;
  int used = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double d = fabs(x[i] - y[i]);
    if (d > change)
      // expect: omp-shared-counter high "update the same 'change'" "reduction(max:change)" no-fix
      change = d;
    if (least > d)
      // expect: omp-shared-counter high "reduction(min:least)" no-fix
      least = d;
    // expect: omp-shared-counter high "reduction(max:far)" no-fix
    far = fmax(far, d);
    note(d, i);
    if (skip[i])
      continue;
    // expect: omp-shared-counter medium "reduction(+:used)" no-fix
    used++;
  }
  return change + far + least + used + highest + where;
}
