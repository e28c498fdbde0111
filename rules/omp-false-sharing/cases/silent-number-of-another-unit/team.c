// flags: -fopenmp
#include "team.h"
#include <omp.h>

static int process;

int own_number(void) {
  int number;
#ifdef _OPENMP
  number = process;
#else
  number = 0;
#endif
  return number;
}
