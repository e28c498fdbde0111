// flags: -fopenmp
// Sums of one row each, begun anew in each iteration: every thread needs its own, and a reduction over all rows would be
// another result.
static double held;

static double row(const double *a, const int *first, int i) {
  held = 0;
  for (int k = first[i]; k < first[i + 1]; k++)
    // expect: omp-shared-counter high "use a variable of the iteration's own in place of 'held'" no-fix
    held += a[k];
  return held;
}

struct scratch {
  double sum;
};

void relax(double *x, const double *a, const int *first, const int *column, int n, int parts, struct scratch *s) {
  int i, k, p;
  double near, far, top;
#pragma omp parallel for private(i, k)
  for (p = 0; p < parts; p++)
    for (i = p * n / parts; i < (p + 1) * n / parts; i++)
      if (a[first[i]] != 0) {
        near = 0;
        far = 0;
        top = 0;
        s->sum = 0;
        for (k = first[i]; k < first[i + 1]; k++) {
          if (column[k] < i)
            // expect: omp-shared-counter medium "set the same 'near'" "add private(near)" no-fix
            near += a[k] * x[column[k]];
          else
            // expect: omp-shared-counter medium "add private(far)" no-fix
            far -= a[k] * x[column[k]];
          if (a[k] > top)
            // expect: omp-shared-counter medium "add private(top)" no-fix
            top = a[k];
          // expect: omp-shared-counter medium "in place of 's->sum'" no-fix
          s->sum += a[k];
        }
        x[i] = (near + far) / (a[first[i]] + top + s->sum);
      }
#pragma omp parallel for
  for (i = 0; i < n; i++)
    x[i] += row(a, first, i);
}
