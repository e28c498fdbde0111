// flags: -fopenmp
// Inner loops of constant length and a guard that costs nothing leave the iterations equal.
#include <stddef.h>

#define DIRECTIONS 9

void collide(double *out, const double *in, const int *solid, size_t cells) {
  // expect: omp-costly-schedule high "about 23 ns of work" "dynamic,1" fix
#pragma omp parallel for schedule(dynamic)
  for (size_t c = 0; c < cells; c++) {
    double density = 0.0;
    for (int d = 0; d < DIRECTIONS; d++)
      density += in[c * DIRECTIONS + d];
    for (int d = 0; d < DIRECTIONS; d++)
      out[c * DIRECTIONS + d] = 0.9 * in[c * DIRECTIONS + d] + 0.1 * density;
  }
}

void clamp(float *v, int n) {
  // expect: omp-costly-schedule high "about 13 ns of work" "dynamic,8" fix
#pragma omp parallel for schedule(dynamic, 8)
  for (int i = 0; i < n; i++)
    if (v[i] < 0.0f)
      v[i] = 0.0f;
}
