// flags: -fopenmp
// A function that only a device's region calls is the device's, though nothing declares it.
#include <omp.h>

static void clear(float *part, int length) {
  int t = omp_get_thread_num();
  for (int i = 0; i < length; i++)
    part[t + i * 64] = 1;
}

static void clear_twice(float *part, int length) {
  clear(part, length);
  clear(part + 64, length);
}

void run(float *part, int length) {
#pragma omp target teams thread_limit(256)
#pragma omp parallel
  clear_twice(part, length);
}
