// Sums that a step loop makes now and then, or beside loops that take nearly all of the step, are worth little.
#include <stdio.h>

#define N 2000

static double u[N][N], v[N][N], residual[N];

static void smooth(int sweeps) {
  for (int s = 0; s < sweeps; s++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
}

void now_and_then(float *x, const float *f, int n, int steps) {
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < n; i++)
      x[i] = 0.5f * (x[i] + f[i]);
    if (s % 25 == 0) {
      double sum = 0.0;
      // expect: build-missed-vectorization low "the floating-point result 'sum' is combined in a fixed order"
      for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
      if (sum < 1e-9)
        break;
    }
  }
}

void in_each_step(float *x, const float *f, int n, int steps) {
  for (int s = 0; s < steps; s++) {
    for (int i = 0; i < n; i++)
      x[i] = 0.5f * (x[i] + f[i]);
    if (s % 2 == 0) {
      double sum = 0.0;
      // expect: build-missed-vectorization high "the floating-point result 'sum' is combined in a fixed order"
      for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
      if (sum < 1e-9)
        break;
    }
  }
}

double beside_a_nest(int steps) {
  double all = 0.0;
  for (int s = 0; s < steps; s++) {
    smooth(s);
    double sum = 0.0;
    // expect: build-missed-vectorization low "the floating-point result 'sum' is combined in a fixed order"
    for (int i = 0; i < N; i++)
      sum += residual[i] * v[i][1];
    all += sum;
  }
  return all;
}

double beside_a_row(double *row, int steps) {
  double all = 0.0;
  for (int s = 0; s < steps; s++) {
    for (int i = 1; i < N; i++)
      row[i] = 0.25 * (row[i] + residual[i]);
    double sum = 0.0;
    // expect: build-missed-vectorization high "the floating-point result 'sum' is combined in a fixed order"
    for (int i = 0; i < N; i++)
      sum += residual[i] * row[i];
    all += sum;
  }
  return all;
}
