// flags: -fopenmp
// Regions that hold one shared loop each, and one that does more than that.
void colours(double *u, int n, int steps) {
  for (int t = 0; t < steps; t++) {
    // expect: omp-adjacent-regions medium "line 12"
#pragma omp parallel
    {
#pragma omp for
      for (int i = 1; i < n; i += 2)
        u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    }
#pragma omp parallel
    {
#pragma omp for
      for (int i = 2; i < n; i += 2)
        u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    }
  }
}

void report(double *u);

void reported(double *u, int n, int steps) {
  for (int t = 0; t < steps; t++) {
#pragma omp parallel
    {
#pragma omp for
      for (int i = 1; i < n; i += 2)
        u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    }
#pragma omp parallel
    {
      report(u);
#pragma omp for
      for (int i = 2; i < n; i += 2)
        u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    }
  }
}
