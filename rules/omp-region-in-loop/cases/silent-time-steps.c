// flags: -fopenmp
// A region per time step over arrays whose length the run decides, or which are long.
#define CELLS 2000000

static double u[CELLS], v[CELLS];

void run(double *a, double *b, int n, int steps) {
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      b[i] = 0.5 * (a[i - 1] + a[i + 1]);
    double *t = a;
    a = b;
    b = t;
  }
}

void fixed_length(int steps) {
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for
    for (int i = 1; i < CELLS - 1; i++)
      v[i] = 0.5 * (u[i - 1] + u[i + 1]);
  }
}

double solve(double *x, double *r, int n) {
  double norm = 1.0;
  while (norm > 1e-9) {
    norm = 0.0;
#pragma omp parallel for reduction(+ : norm)
    for (int i = 0; i < n; i++) {
      x[i] += 0.5 * r[i];
      r[i] *= 0.5;
      norm += r[i] * r[i];
    }
  }
  return norm;
}
