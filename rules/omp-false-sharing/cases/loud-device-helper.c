// flags: -fopenmp
// A team of processors calls the function, too.
#include <omp.h>

static void clear(float *part, int length) {
  int t = omp_get_thread_num();
  for (int i = 0; i < length; i++)
    // expect: omp-false-sharing high "'part'" "4 bytes apart"
    part[t + i * 64] = 1;
}

void run(float *part, int length, int host) {
#pragma omp target teams thread_limit(256)
#pragma omp parallel
  clear(part, length);
  if (host) {
#pragma omp parallel
    clear(part, length);
  }
}
