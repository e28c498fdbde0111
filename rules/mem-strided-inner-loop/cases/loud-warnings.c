// A message about a number out of range: in which order the messages come does not matter. What prints the data does.
#include <stdio.h>

void pressures(double *p, const double *e, int nx, int ny) {
  for (int i = 0; i < nx; i++)
    // expect: mem-strided-inner-loop medium "over 'i' the step is 8 bytes"
    for (int j = 0; j < ny; j++) {
      p[j * nx + i] = 0.4 * e[j * nx + i];
      if (p[j * nx + i] < 0.0) {
        fprintf(stderr, "negative pressure at %d, %d\n", i, j);
        p[j * nx + i] = 0.0;
      }
    }
}

void listing(double *p, const double *e, int nx, int ny) {
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < ny; j++) {
      p[j * nx + i] = 0.4 * e[j * nx + i];
      printf("%g\n", p[j * nx + i]);
    }
}

// Marks choose what is listed.
void chosen(double *p, const double *e, const int *mark, int nx, int ny) {
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < ny; j++) {
      p[j * nx + i] = 0.4 * e[j * nx + i];
      if (mark[j * nx + i])
        printf("%g\n", p[j * nx + i]);
    }
}
