// flags: -fopenmp
// Two arrays change places with each step; a source is added to the one that is old by one thread.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rows = argc > 1 ? atoi(argv[1]) : 500, columns = rows;
  double *now = calloc(rows * columns, sizeof *now), *next = calloc(rows * columns, sizeof *next);
  for (int step = 0; step < 20; step++) {
#pragma omp parallel for collapse(2)
    for (int r = 1; r < rows - 1; r++)
      for (int c = 1; c < columns - 1; c++)
        next[r * columns + c] =
            0.5 * now[r * columns + c] + 0.25 * (now[(r - 1) * columns + c] + now[(r + 1) * columns + c]);
    // expect: omp-serial-loop high "'#pragma omp parallel for'" unsafe-fix
    for (int r = 1; r < rows - 1; r++)
      for (int c = 1; c < columns - 1; c++)
        next[r * columns + c] += 1e-3 * c;
    double *old = now;
    now = next;
    next = old;
  }
  printf("%.6f\n", now[rows * columns / 2]);
  return 0;
}
