// flags: -fopenmp
// One thread packs the halo while the others start on the interior: those who are free take more.
void pack(double *buffer, const double *v, int n);

void step(double *next, const double *now, double *buffer, int n) {
#pragma omp parallel
  {
#pragma omp master
    pack(buffer, now, n);
#pragma omp for schedule(dynamic, 16)
    for (int i = 1; i < n - 1; i++)
      next[i] = 0.5 * (now[i - 1] + now[i + 1]);
  }
}

void two(double *a, double *b, const int *length, int n) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 64) nowait
    for (int i = 0; i < n; i++)
      for (int k = 0; k < length[i]; k++)
        a[i] += k;
#pragma omp for schedule(dynamic, 16)
    for (int i = 0; i < n; i++)
      b[i] *= 0.5;
  }
}
