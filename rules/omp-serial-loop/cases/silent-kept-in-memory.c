// flags: -fopenmp
// Variables in memory whose iterations have to come one after another.
#include <math.h>

void reduce(double *);
void reduce_count(int *);

// Each iteration uses what those before have added up.
void places(double *restrict x, double *restrict y, int n, int steps) {
  for (int k = 0; k < steps; k++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] = x[i] * 0.5 + sin(y[i]);
    double sum = 0;
    for (int i = 0; i < n; i++) {
      y[i] = sqrt(x[i]) * sum;
      sum += y[i] * x[i];
    }
    reduce(&sum);
    if (sum < 1)
      break;
  }
}

// The last one counts.
void last(double *restrict x, double *restrict y, int n, int steps) {
  for (int k = 0; k < steps; k++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] = x[i] * 0.5 + sin(y[i]);
    int at = 0;
    for (int i = 0; i < n; i++)
      if (y[i] > x[i]) {
        y[i] = pow(x[i], 1. / 3);
        at = i;
      }
    reduce_count(&at);
    if (at < 1)
      break;
  }
}

// Two in one, of which none is a sum by itself.
void mixed(double *restrict x, double *restrict y, int n, int steps) {
  for (int k = 0; k < steps; k++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] = x[i] * 0.5 + sin(y[i]);
    double part = 1;
    for (int i = 0; i < n; i++) {
      y[i] = sqrt(x[i]);
      part = 0.5 * part + y[i];
    }
    reduce(&part);
    if (part < 1)
      break;
  }
}

// Begun anew on the way.
void since(double *restrict x, double *restrict y, int n, int steps) {
  for (int k = 0; k < steps; k++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] = x[i] * 0.5 + sin(y[i]);
    int run = 0;
    for (int i = 0; i < n; i++) {
      if (y[i] > x[i]) {
        y[i] = pow(x[i], 1. / 3);
        run++;
      }
      if (x[i] < 0) {
        y[i] = exp(x[i]);
        run = 0;
      }
    }
    reduce_count(&run);
    if (run < 1)
      break;
  }
}
