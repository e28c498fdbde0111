// flags: -fopenmp
// Work arrays that functions keep in one place for all threads, one of them behind a table of functions.
static double line[128];

static void heat(double *column, int n, double by) { column[n / 2] += by; }

static void mix(double *column, int n, double by) {
  for (int k = 0; k < n; k++)
    // expect: omp-shared-counter medium "set the same 'line'" "in place of 'line'" no-fix
    line[k] = column[k];
  for (int k = 1; k < n; k++)
    column[k] += by * (line[k - 1] - line[k]);
}

static double spread(const double *column, int n) {
  static double square[64];
  double most = 0;
  int k;
  for (k = 0; k < n; k++)
    // expect: omp-shared-counter high "set the same 'square'" "without 'static'" no-fix
    square[k] = column[k] * column[k];
  for (k = 0; k < n; k++)
    if (square[k] > most)
      most = square[k];
  return most;
}

typedef void (*process)(double *, int, double);
static process processes[] = {heat, mix, 0};

void columns(double *all, double *width, int count, int n) {
  for (int p = 0; processes[p]; p++) {
#pragma omp parallel for
    for (int c = 0; c < count; c++)
      processes[p](all + c * n, n, 0.1);
  }
#pragma omp parallel for
  for (int c = 0; c < count; c++)
    width[c] = spread(all + c * n, n);
}
