// flags: -fopenmp
// The array is named, wherever its pointer lies: outside of functions, in a static variable, behind a wrapper.
#include <stdlib.h>

double *field;
static float *edges;

static void *zeroed(size_t bytes) {
  // expect: omp-calloc-first-touch low "may write" "'marks'"
  return calloc(bytes, 1);
}

double fill(size_t n) {
  // expect: omp-calloc-first-touch low "may write" "'field'"
  field = calloc(n, sizeof *field);
  // expect: omp-calloc-first-touch low "may write" "'edges'"
  edges = calloc(n, sizeof *edges);
  int *marks = zeroed(n * sizeof *marks);
#pragma omp parallel for
  for (size_t i = 0; i < n; i++) {
    field[i] = i;
    edges[i] = 1;
    marks[i] = 2;
  }
  return field[3] + edges[3] + marks[3];
}
