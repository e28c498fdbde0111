// flags: -fopenmp
// Threads that leave a loop one by one meet at a barrier before the loop whose iterations are fetched one by one.
#include <stddef.h>

void step(double *a, double *b, double *c, size_t n) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (size_t i = 0; i < n; i++)
      a[i] *= 0.5;
#pragma omp for schedule(static)
    for (size_t i = 0; i < n; i++)
      b[i] += 1.0;
    // expect: omp-costly-schedule high "about 1 ns of work" "dynamic,1" fix
#pragma omp for schedule(dynamic)
    for (size_t i = 0; i < n; i++)
      c[i] = a[i] + b[i];
  }
}

// They come one by one, and the early ones take more of the work.
void late(double *a, double *c, size_t n) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (size_t i = 0; i < n; i++)
      a[i] *= 0.5;
#pragma omp for schedule(dynamic)
    for (size_t i = 0; i < n; i++)
      c[i] += 2.0;
  }
}

// The thread that came last in the round before comes late.
void rounds(double *a, double *c, size_t n, int count) {
#pragma omp parallel
  for (int r = 0; r < count; r++) {
#pragma omp for schedule(dynamic)
    for (size_t i = 0; i < n; i++)
      c[i] += 2.0;
#pragma omp for schedule(static) nowait
    for (size_t i = 0; i < n; i++)
      a[i] *= 0.5;
  }
}
