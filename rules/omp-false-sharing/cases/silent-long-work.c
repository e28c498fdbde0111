// flags: -fopenmp
// One write at the end of long work, and the time that each thread took.
#include <omp.h>

void norms(int rows, int columns, const double *matrix, double *norm) {
  // expect: omp-costly-schedule medium "one inner loop's work of the same length each" "dynamic,1" fix
#pragma omp parallel for schedule(dynamic)
  for (int row = 0; row < rows; row++) {
    double sum = 0.0;
    for (int column = 0; column < columns; column++)
      sum += matrix[(long)row * columns + column] * matrix[(long)row * columns + column];
    norm[row] = sum;
  }
}

double evaluate(int item);

void all_items(int items, double *results) {
#pragma omp parallel for schedule(dynamic)
  for (int item = 0; item < items; item++)
    results[item] = evaluate(item);
}

void timed(int steps, int count, double *values, double *seconds) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    for (int step = 0; step < steps; step++) {
      const double start = omp_get_wtime();
#pragma omp for
      for (int i = 0; i < count; i++)
        values[i] = 0.5 * values[i] + step;
      seconds[thread] += omp_get_wtime() - start;
    }
  }
}
