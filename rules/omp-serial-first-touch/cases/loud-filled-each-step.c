// flags: -fopenmp
// One thread fills 'turned' in each step before the team uses it: where its pages lie is no matter of the set-up.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *field, *turned, *sums;
static int rows, columns;

static void set_up(void) {
  field = malloc((size_t)rows * columns * sizeof *field);
  turned = malloc((size_t)rows * columns * sizeof *turned);
  sums = malloc((size_t)rows * columns * sizeof *sums);
  // expect: omp-calloc-first-touch medium "'sums'"
  memset(sums, 0, (size_t)rows * columns * sizeof *sums);
  // expect: omp-serial-first-touch medium "'field'"
  for (int k = 0; k < rows * columns; k++)
    field[k] = 1.0 / (1 + k);
  // expect: omp-serial-first-touch low "'turned'"
  for (int k = 0; k < rows * columns; k++)
    turned[k] = 0.0;
}

static void turn(const double *from, double *to) {
  // expect: omp-serial-loop medium
  for (int i = 0; i < rows; i++)
    // expect: mem-unblocked-transpose medium
    for (int j = 0; j < columns; j++)
      to[j * rows + i] = from[i * columns + j];
}

static void step(void) {
#pragma omp parallel for schedule(static)
  for (int k = 0; k < rows * columns; k++)
    field[k] = 0.5 * field[k] + 1.0;
  turn(field, turned);
  // expect: omp-serial-loop medium
  for (int k = 0; k < rows * columns; k++)
    sums[k] = turned[k];
#pragma omp parallel for schedule(static)
  for (int k = 0; k < rows * columns; k++)
    sums[k] += field[k];
#pragma omp parallel for schedule(static)
  for (int k = 0; k < rows * columns; k++)
    turned[k] = 0.25 * turned[k] * turned[k];
  // Its part of a step comes behind the team's.
  // expect: omp-serial-loop medium
  for (int k = 0; k < rows * columns; k++)
    field[k] = turned[k];
}

int main(int argc, char **argv) {
  rows = argc > 1 ? atoi(argv[1]) : 64;
  columns = argc > 2 ? atoi(argv[2]) : 64;
  set_up();
  for (int n = 0; n < 20; n++)
    step();
  printf("%.6f\n", turned[0] + field[rows] + sums[1]);
  free(field);
  free(turned);
  free(sums);
  return 0;
}
