// flags: -fopenmp
// The walls of a table of rows, by one thread: it goes over the table as the team does, but not through its rows.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void walls(double **c, int nx, int ny) {
  for (int i = 0; i < nx; i++) {
    c[i][0] = pow(fabs(sin(c[i][1])), 1.5) + exp(-c[i][1]);
    c[i][ny - 1] = pow(fabs(cos(c[i][ny - 2])), 1.5) + exp(-c[i][ny - 2]);
  }
}

int main(int argc, char **argv) {
  int nx = argc > 1 ? atoi(argv[1]) : 2000, ny = nx;
  double **c = malloc(nx * sizeof *c), **d = malloc(nx * sizeof *d);
  for (int i = 0; i < nx; i++) {
    c[i] = malloc(ny * sizeof **c);
    d[i] = malloc(ny * sizeof **d);
  }
#pragma omp parallel for
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < ny; j++)
      c[i][j] = d[i][j] = 1.0 / (i + j + 1);
  for (int step = 0; step < 20; step++) {
    walls(c, nx, ny);
#pragma omp parallel for
    for (int i = 0; i < nx; i++)
      for (int j = 1; j < ny - 1; j++)
        d[i][j] = 0.5 * (c[i][j - 1] + c[i][j + 1]);
#pragma omp parallel for
    for (int i = 0; i < nx; i++)
      for (int j = 1; j < ny - 1; j++)
        c[i][j] = d[i][j];
  }
  printf("%.6f\n", c[nx / 2][ny / 2]);
  return 0;
}
