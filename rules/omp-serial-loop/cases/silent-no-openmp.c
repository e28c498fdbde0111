// A build without OpenMP: its directives are comments.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void fill(double *plate, int rows, int columns) {
#pragma omp parallel for schedule(static)
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++)
      plate[r * columns + c] = r == 0 ? 1.0 : 0.0;
}

int main(int argc, char **argv) {
  int rows = argc > 1 ? atoi(argv[1]) : 300, columns = 400, c;
  double *old = malloc(sizeof *old * rows * columns), *now = malloc(sizeof *now * rows * columns);
  fill(old, rows, columns);
  fill(now, rows, columns);
  for (int step = 0; step < 50; step++) {
#pragma omp parallel for schedule(static)
    for (int r = 1; r < rows - 1; r++)
      for (int k = 1; k < columns - 1; k++)
        now[r * columns + k] = 0.25 * (old[(r - 1) * columns + k] + old[(r + 1) * columns + k] +
                                       old[r * columns + k - 1] + old[r * columns + k + 1]);
    for (int r = 1; r < rows - 1; r++)
      for (c = 1; c < columns - 1; c++)
        old[r * columns + c] = now[r * columns + c];
  }
  double sum = 0.0;
  for (int i = 0; i < rows * columns; i++)
    sum += old[i];
  printf("%.6f\n", sum);
  free(old);
  free(now);
  return 0;
}
