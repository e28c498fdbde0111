// flags: -fopenmp
// One thread exchanges the pointers, or each has its own.
#include <omp.h>
#include <utility>

void once(int n, int steps, double *now, double *next) {
#pragma omp parallel
  for (int t = 0; t < steps; t++) {
#pragma omp for
    for (int i = 1; i < n - 1; i++)
      next[i] = 0.5 * (now[i - 1] + now[i + 1]);
#pragma omp single
    std::swap(now, next);
  }
}

void own(int n, int steps, double *now, double *next) {
#pragma omp parallel firstprivate(now, next)
  for (int t = 0; t < steps; t++) {
#pragma omp for
    for (int i = 1; i < n - 1; i++)
      next[i] = 0.5 * (now[i - 1] + now[i + 1]);
    double *kept = now;
    now = next;
    next = kept;
  }
}

void asked(int n, int steps, double *now, double *next) {
#pragma omp parallel
  for (int t = 0; t < steps; t++) {
#pragma omp for
    for (int i = 1; i < n - 1; i++)
      next[i] = 0.5 * (now[i - 1] + now[i + 1]);
    if (omp_get_thread_num() == 0) {
      double *kept = now;
      now = next;
      next = kept;
    }
#pragma omp barrier
  }
}

void declared_within(int n, int steps, double *a, double *b) {
#pragma omp parallel
  {
    double *now = a, *next = b;
    for (int t = 0; t < steps; t++) {
#pragma omp for
      for (int i = 1; i < n - 1; i++)
        next[i] = 0.5 * (now[i - 1] + now[i + 1]);
      std::swap(now, next);
    }
  }
}

// All threads set them to the same.
static double *first, *last;
void same_for_all(int n, double *base) {
#pragma omp parallel
  {
    first = base;
    last = first;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; i++)
      last[i] = 0.5 * i;
  }
}
