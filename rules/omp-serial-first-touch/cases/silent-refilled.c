// flags: -fopenmp
// The serial loop comes second: the team has placed the pages before.
#include <stdlib.h>

double *prepare(size_t count, double value) {
  double *values = malloc(count * sizeof *values);
  if (values == NULL)
    return NULL;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++)
    values[i] = 0.0;
  for (size_t i = 0; i < count; i++)
    values[i] = value;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++)
    values[i] *= 2.0;
  return values;
}
