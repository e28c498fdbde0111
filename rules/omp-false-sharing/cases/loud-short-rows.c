// flags: -fopenmp
// Rows of counters for each thread, side by side, whose length only a run knows: it may be a few counters.
#include <omp.h>

void histogram(const int *keys, long count, int bins, long *block) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp for
    for (long i = 0; i < count; i++)
      // expect: omp-false-sharing medium "8 * bins bytes" "taken for less than a few lines"
      block[(long)thread * bins + keys[i]]++;
  }
}

// The bin is searched for in a sorted table: a few steps.
void angles(const float *dots, int count, int bins, const float *border, long *block) {
#pragma omp parallel for schedule(static, 4)
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++) {
      const float dot = dots[i] * dots[j];
      int low = 0, high = bins;
      while (high > low + 1) {
        const int middle = (low + high) / 2;
        if (dot >= border[middle])
          high = middle;
        else
          low = middle;
      }
      // expect: omp-false-sharing medium "8 * (bins + 2) bytes"
      block[omp_get_thread_num() * (bins + 2) + low] += 1;
    }
}

typedef struct {
  double *values;
  int *tags;
  int kinds, size;
} Vector;

static int thread_number(void) {
  int number = 0;
  if (omp_in_parallel())
    number = omp_get_thread_num();
  return number;
}

void by_tag(const Vector *x, const Vector *y, double *sums) {
#pragma omp parallel
  {
    const int thread = thread_number();
    double *sum = &sums[thread * x->kinds];
#pragma omp for schedule(static)
    for (int i = 0; i < x->size; i++)
      // expect: omp-false-sharing medium "8 * kinds bytes"
      sum[x->tags[i]] += x->values[i] * y->values[i];
  }
}
