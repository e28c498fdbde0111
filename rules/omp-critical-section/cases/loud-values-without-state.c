// flags: -fopenmp
// The values follow from their arguments: library functions of all three precisions, and functions whose body shows it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

double total;
float part;
long length;

static double logged_value(double x) { return x > 1 ? log(x) : 0; }

static int single_step(const int *from, int at) {
  int sum = 0;
  for (int k = 0; k < 3; k++)
    sum += from[at + k];
  return sum;
}

static inline double larger(double a, double b) { return a > b ? a : b; }

double extent(const double *x, const int *from, const char *const *names, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    // expect: omp-critical-section high "a critical section" "'total'"
#pragma omp critical(a)
    total += logged_value(x[i]);
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    // expect: omp-critical-section high "a critical section" "'length'"
#pragma omp critical(b)
    length += single_step(from, i);
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    // expect: omp-critical-section high "a critical section" "'part'"
#pragma omp critical(c)
    part += sinf((float)x[i]) + cosf(1.0f) * fabsf((float)x[i]);
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    // expect: omp-critical-section high "a critical section" "'total'"
#pragma omp critical(d)
    total += atan2(x[i], 2.0) + (double)hypotl(x[i], 1.0L) + tgamma(x[i]);
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    // expect: omp-critical-section medium "a critical section" "'length'"
#pragma omp critical(e)
    length += strlen(names[i]) + abs(from[i]);
  }
  double most = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    // expect: omp-critical-section high "a critical section" "'most'" unsafe-fix
#pragma omp critical(f)
    most = larger(most, x[i]);
  }
  return most;
}
