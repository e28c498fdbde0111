// flags: -fopenmp
// Partial results meet once per thread; a short merge of a few bins too.
#define BINS 16

double norm(const double *v, int n, double *top) {
  double sum = 0.0, most = 0.0;
#pragma omp parallel
  {
    double mine = 0.0, peak = 0.0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      mine += v[i] * v[i];
      if (v[i] > peak)
        peak = v[i];
    }
#pragma omp critical
    {
      sum += mine;
      if (peak > most)
        most = peak;
    }
  }
  *top = most;
  return sum;
}

void histogram(const int *key, int n, long *bins) {
#pragma omp parallel
  {
    long mine[BINS] = {0};
#pragma omp for
    for (int i = 0; i < n; i++)
      mine[key[i]]++;
    for (int b = 0; b < BINS; b++) {
#pragma omp critical
      bins[b] += mine[b];
    }
  }
}
