// flags: -fopenmp
// Arrays of which each thread has its own part or copy, that one thread at a time fills, or that keep something.
#include <omp.h>

static double parts[64][128], own[128], table[128], guarded[128];
#pragma omp threadprivate(own)

static void each(double *column, int n) {
  const int me = omp_get_thread_num();
  for (int k = 0; k < n; k++)
    parts[me][k] = column[k];
  for (int k = 0; k < n; k++)
    own[k] = parts[me][k];
  for (int k = 1; k < n; k++)
    column[k] += own[k - 1];
}

// What others have left is read first.
static double change(const double *column, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++)
    sum += column[k] - table[k];
  for (int k = 0; k < n; k++)
    table[k] = column[k];
  return sum + table[0];
}

// The same numbers in each call.
static double weights[128];
static double weigh(const double *column, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++)
    weights[k] = 1.0 / (k + 1);
  for (int k = 0; k < n; k++)
    sum += weights[k] * column[k];
  return sum;
}

// A part of the array for each call.
static double part(const double *column, int first, int last) {
  double sum = 0;
  for (int k = first; k < last; k++)
    guarded[k] = column[k];
  for (int k = first; k < last; k++)
    sum += guarded[k];
  return sum;
}

// A team that shares the loop fills the array together.
static double filled[128];
static void together(double *column, int n) {
  int k;
#pragma omp for
  for (k = 0; k < n; k++)
    filled[k] = column[k];
#pragma omp for
  for (k = 1; k < n; k++)
    column[k] += filled[k - 1];
}

void team(double *all, int n) {
#pragma omp parallel
  together(all, n);
}

void columns(double *all, double *width, int count, int n) {
#pragma omp parallel for
  for (int c = 0; c < count; c++) {
    each(all + c * n, n);
    width[c] = part(all, c, c + 1) + weigh(all + c * n, n);
  }
  for (int c = 0; c < count; c++)
    width[c] += change(all + c * n, n);
}
