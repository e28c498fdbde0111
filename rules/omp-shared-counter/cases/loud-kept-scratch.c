// flags: -fopenmp
// Functions that keep what they set for their own use in one place for all threads.
static double scale, inverse;

static double mean(const double *x, int n) {
  static double sum;
  sum = x[0];
  for (int i = 1; i < n; i++)
    // expect: omp-shared-counter high "set the same 'sum'" "in place of 'sum'" no-fix
    sum += x[i];
  return sum / n;
}

static void normalise(double *x, int n, double by) {
  // expect: omp-shared-counter medium "set the same 'scale'"
  scale = 1.0 / by;
  for (int i = 0; i < n; i++)
    x[i] *= scale;
}

// The function shares a loop of its own, so that each iteration has another value.
static void weigh(double *x, const double *weight, int n) {
#pragma omp for
  for (int i = 0; i < n; i++) {
    // expect: omp-shared-counter high "set the same 'inverse'" no-fix
    inverse = 1.0 / weight[i];
    x[i] *= inverse;
  }
}

void weigh_all(double *x, const double *weight, int n) {
#pragma omp parallel
  weigh(x, weight, n);
}

void all(double *x, int rows, int columns) {
#pragma omp parallel for
  for (int row = 0; row < rows; row++)
    normalise(x + row * columns, columns, mean(x + row * columns, columns));
}
