// flags: -fopenmp
// The data come from a file; a parallel loop cannot write them first without a second pass.
#include <stdio.h>
#include <stdlib.h>

double *load(FILE *file, size_t count) {
  double *values = malloc(count * sizeof *values);
  if (values == NULL || fread(values, sizeof *values, count, file) != count) {
    free(values);
    return NULL;
  }
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++)
    values[i] = values[i] * values[i];
  return values;
}
