// flags: -fopenmp
// Few regions for parts of the data: with costly iterations, with other work between them, and in a function that runs
// once.
#include <math.h>

#define PARTS 3

void communicate(double *part);

void costly(double *restrict u, const double *restrict r, int cells) {
  for (int part = 0; part < PARTS; part++) {
#pragma omp parallel for
    for (int c = 0; c < cells; c++)
      u[part * cells + c] += pow(sin(r[c]), 1.5) * exp(-r[c] * part) * log(1.5 + cos(r[c])) * pow(1.0 + r[c], -0.3);
  }
}

void between(double *restrict u, const double *restrict r, int cells) {
  for (int part = 0; part < PARTS; part++) {
    communicate(u);
#pragma omp parallel for
    for (int c = 0; c < cells; c++)
      u[part * cells + c] += 0.5 * r[part * cells + c];
  }
}

void march(double *u, const double *r, int cells, int steps) {
  for (int s = 0; s < steps; s++) {
    costly(u, r, cells);
    between(u, r, cells);
  }
}

void begin(double *restrict u, const double *restrict r, int cells) {
  for (int part = 0; part < PARTS; part++) {
#pragma omp parallel for
    for (int c = 0; c < cells; c++)
      u[part * cells + c] = 0.5 * r[part * cells + c];
  }
}
