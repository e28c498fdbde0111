// flags: -fopenmp
// A function that is declared for devices, and that processors call, too.
#include <omp.h>

#pragma omp declare target
void clear(float *part, int length) {
  int t = omp_get_thread_num();
  for (int i = 0; i < length; i++)
    // expect: omp-false-sharing high "'part'" "4 bytes apart"
    part[t + i * 64] = 1;
}
#pragma omp end declare target

void run(float *part, int length) {
#pragma omp target teams thread_limit(256)
#pragma omp parallel
  clear(part, length);
#pragma omp parallel
  clear(part, length);
}
