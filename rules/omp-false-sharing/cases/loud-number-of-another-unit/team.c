// flags: -fopenmp
#include "team.h"
#include <omp.h>

int own_number(void) {
  int number;
#ifdef _OPENMP
  number = omp_get_thread_num();
#else
  number = 0;
#endif
  return number;
}
