// flags: -fopenmp
// Arrays that a function keeps in one place for all threads, fills from its arguments, and gives back or reads.
static double *weights(double x, double y) {
  static double w[4];
  // expect: omp-shared-counter high "region at line 34 set the same 'w'" "let the caller hand over" no-fix
  w[0] = (1 - x) * (1 - y);
  w[1] = x * (1 - y);
  w[2] = (1 - x) * y;
  w[3] = x * y;
  return w;
}

static double smooth(const double *x, int n) {
  static double line[100];
  double sum = 0;
  for (int i = 0; i < n; i++)
    // expect: omp-shared-counter high "set the same 'line'" "without 'static'" no-fix
    line[i] = x[i] * n;
  for (int i = 1; i < n; i++)
    sum += line[i] * line[i - 1];
  return sum;
}

// What is kept may be the same for all.
static double scaled(const double *x, double by) {
  static double factor[2];
  // expect: omp-shared-counter medium "set the same 'factor'" no-fix
  factor[0] = 1 / by;
  factor[1] = by;
  return x[0] * factor[0] + x[1] * factor[1];
}

void push(const double *x, const double *y, const double *field, double *force, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const double *w = weights(x[i], y[i]);
    force[i] = w[0] * field[i] + w[1] * field[i + 1] + w[2] * field[i + 2] + w[3] * field[i + 3];
  }
}

void all(const double *x, double *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    out[i] = smooth(x + 100 * i, 100);
}

void scale(const double *x, double *out, double by, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    out[i] = scaled(x + i, by);
}

// Declared where it is used, and yet one for all.
void turn(const double (*x)[8], double (*out)[8], int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    static double line[8];
    for (int k = 0; k < 8; k++)
      // expect: omp-shared-counter high "set the same elements of 'line'" "without 'static'" no-fix
      line[k] = x[i][k] * 0.5;
    for (int k = 0; k < 8; k++)
      out[i][k] = line[7 - k];
  }
}
