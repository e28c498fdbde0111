// flags: -fopenmp
// Sums that stay in memory, since a call behind the loop is given their address: as MPI's reductions are.
#include <math.h>

void reduce(double *);
void reduce_count(int *);

void relax(double *restrict x, double *restrict y, int n, int steps) {
  for (int k = 0; k < steps; k++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] = x[i] * 0.5 + sin(y[i]);
    double sum = 0;
    // expect: omp-serial-loop medium "one thread goes over" "reduction(+:sum)" unsafe-fix
    for (int i = 0; i < n; i++) {
      y[i] = sqrt(x[i]);
      sum += y[i] * x[i];
    }
    reduce(&sum);
    if (sum < 1)
      break;
  }
}

// Where a condition holds alone.
void lengthen(double *restrict x, double *restrict y, int n, int steps) {
  for (int k = 0; k < steps; k++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] = x[i] * 0.5 + sin(y[i]);
    int redo = 0;
    // expect: omp-serial-loop medium "one thread goes over" "reduction(+:redo)" unsafe-fix
    for (int i = 0; i < n; i++)
      if (y[i] > x[i]) {
        y[i] = pow(x[i], 1. / 3);
        redo++;
      }
    reduce_count(&redo);
    if (redo < 1)
      break;
  }
}
