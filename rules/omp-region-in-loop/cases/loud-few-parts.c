// flags: -fopenmp
// A region for each component of the cells, in a function that the steps call: three regions in a row, written short.
#define PARTS 3

void update(double *restrict u, const double *restrict r, const double *restrict volume, int cells, double step) {
  for (int part = 0; part < PARTS; part++) {
    // expect: omp-region-in-loop medium "one of 3 parts of the data" "around the loop at line 6" fix
#pragma omp parallel for
    for (int c = 0; c < cells; c++)
      u[part * cells + c] += step / volume[c] * r[part * cells + c];
  }
}

void march(double *u, const double *r, const double *volume, int cells, int steps) {
  for (int s = 0; s < steps; s++)
    update(u, r, volume, cells, 0.01);
}
