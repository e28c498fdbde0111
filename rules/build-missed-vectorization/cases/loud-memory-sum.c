// A sum that the loop keeps in memory; beside it many arrays, of which the compiler checks that they do not overlap.
#include <stdio.h>
#include <stdlib.h>

struct fluxes {
  double *mass, *energy, *in[6], *out[6];
};

static void update(double *a, double *b, double *c, double *d, double *e, double *f, const double *u, const double *v,
                   const double *w, const double *x, const double *y, const double *z, int n) {
  for (int i = 0; i < n; i++) {
    a[i] += 0.5 * u[i] + 0.1 * v[i];
    b[i] += 0.5 * v[i] + 0.1 * w[i];
    c[i] += 0.5 * w[i] + 0.1 * x[i];
    d[i] += 0.5 * x[i] + 0.1 * y[i];
    e[i] += 0.5 * y[i] + 0.1 * z[i];
    f[i] += 0.5 * z[i] + 0.1 * u[i];
  }
}

static void budget(struct fluxes *t, const double *in, int n) {
  // expect: build-missed-vectorization high
  for (int i = 0; i < n; i++)
    t->mass[0] += in[i] * in[i];
}

int main(void) {
  const int n = 3000;
  double *p[12];
  struct fluxes t;
  for (int k = 0; k < 12; k++)
    if ((p[k] = calloc((size_t)n, sizeof(double))) == NULL)
      return 1;
  p[6][1] = p[7][2] = 1.0;
  t.mass = p[11];
  for (int step = 0; step < 10; step++) {
    update(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], n);
    budget(&t, p[0], n);
  }
  printf("%g %g\n", p[0][1], t.mass[0]);
  for (int k = 0; k < 12; k++)
    free(p[k]);
  return 0;
}
