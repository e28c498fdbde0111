// flags: -fopenmp
// A region whose text stands in another file.
#include <omp.h>

void copy(const float *values, float *sums, int length) {
  {
#pragma omp parallel
    {
#include "body.h"
    }
  }
}
