// flags: -fopenmp
// Loops of milliseconds, and loops with loops in them.
#define N 4000000

static double a[N], b[N];

void stream(int repeats) {
  for (int r = 0; r < repeats; r++) {
#pragma omp parallel for
    for (int i = 0; i < N; i++)
      a[i] = 2.0 * b[i];
#pragma omp parallel for
    for (int i = 0; i < N; i++)
      b[i] = a[i] + 1.0;
  }
}

void planes(double *u, double *v, int n, int m, int steps) {
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        v[i * m + j] = 0.25 * (u[i * m + j - 1] + u[i * m + j + 1] + u[(i - 1) * m + j] + u[(i + 1) * m + j]);
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < m - 1; j++)
        u[i * m + j] = v[i * m + j];
  }
}
