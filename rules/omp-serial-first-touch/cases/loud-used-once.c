// flags: -fopenmp
// One loop of the whole program uses the one array, a single time: to place it is as much work as to fetch it from
// another node. The other one is used in each step.
#include <stdio.h>
#include <stdlib.h>

static void advance(double *value, size_t count) {
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++)
    value[i] *= 1.5;
}

int main(int argc, char **argv) {
  const size_t count = (size_t)argc << 24;
  double *once = malloc(count * sizeof *once), *often = malloc(count * sizeof *often);
  (void)argv;
  if (!once || !often)
    return 1;
  // expect: omp-serial-first-touch low "'once'"
  for (size_t i = 0; i < count; i++)
    once[i] = 1.0;
  // expect: omp-serial-first-touch medium "'often'"
  for (size_t i = 0; i < count; i++)
    often[i] = 2.0;
  double sum = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (size_t i = 0; i < count; i++)
    sum += once[i];
  for (int step = 0; step < 100; step++)
    advance(often, count);
  printf("%g %g\n", sum, often[7]);
  free(once);
  free(often);
  return 0;
}
