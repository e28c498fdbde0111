// flags: -fopenmp
// Vectors are records; one thread clears and copies them between the team's loops of the solver.
#include <stdio.h>
#include <stdlib.h>

struct vector {
  int length;
  double *values;
};

static void clear(struct vector *v) {
  // expect: omp-serial-loop medium "values" unsafe-fix
  for (int i = 0; i < v->length; ++i)
    v->values[i] = 0.0;
}

static void copy(const struct vector *from, struct vector *to) {
  const int length = from->length;
  const double *a = from->values;
  double *b = to->values;
  // expect: omp-serial-loop medium unsafe-fix
  for (int i = 0; i < length; ++i)
    b[i] = a[i];
}

static void update(struct vector *x, const struct vector *y, double by) {
#pragma omp parallel for
  for (int i = 0; i < x->length; ++i)
    x->values[i] += by * y->values[i];
}

int main(int argc, char **argv) {
  struct vector x, y, z;
  x.length = y.length = z.length = argc > 1 ? atoi(argv[1]) : 500000;
  x.values = calloc(x.length, sizeof(double));
  y.values = calloc(y.length, sizeof(double));
  z.values = malloc(z.length * sizeof(double));
  x.values[7] = 1.0;
  for (int step = 0; step < 20; step++) {
    clear(&z);
    update(&z, &x, 0.5);
    copy(&z, &y);
    update(&x, &y, 0.25);
  }
  printf("%.6f\n", x.values[7]);
  return 0;
}
