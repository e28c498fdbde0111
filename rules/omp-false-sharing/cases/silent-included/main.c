// flags: -fopenmp
// A device's region whose text stands in another file.
#include <omp.h>

void copy(const float *values, float *sums, int length) {
#pragma omp target teams thread_limit(64)
  {
#pragma omp parallel
    {
#include "body.h"
    }
  }
}
