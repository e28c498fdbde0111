// flags: -fopenmp
// The energy, the momentum and the fastest one of all particles, by one thread in each step.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct particle {
  double r[3], v[3], m;
};

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 200000;
  struct particle *at = calloc(n, sizeof *at);
  double factor = 1.0, last = 0.0;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    at[i].v[0] = at[i].v[1] = at[i].m = 1.0 / (i + 1);
  for (int step = 0; step < 30; step++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      for (int d = 0; d < 3; d++)
        at[i].r[d] += 1e-3 * at[i].v[d];
    double p[3] = {0, 0, 0}, energy = 0.0, most = 0.0, mass = 0.0;
    // expect: omp-serial-loop medium "reduction(+:" "p[:3]" unsafe-fix
    for (int i = 0; i < n; i++) {
      for (int d = 0; d < 3; d++)
        p[d] += at[i].m * at[i].v[d];
      energy += at[i].m * at[i].v[0] * at[i].v[0];
    }
    // expect: omp-serial-loop medium "add up or keep in most, mass" no-fix
    for (int i = 0; i < n; i++) {
      most = fmax(most, at[i].v[0]);
      mass += at[i].m;
    }
    factor = 1.0 - 1e-9 * (energy + p[0] + p[1] + p[2]) / mass;
    last = most * factor;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      for (int d = 0; d < 3; d++)
        at[i].v[d] *= factor;
  }
  printf("%.6f %.4f\n", at[n / 2].r[0], last);
  return 0;
}
