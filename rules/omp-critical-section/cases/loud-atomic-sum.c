// flags: -fopenmp
// One variable takes an atomic update in every iteration; a histogram's element, a rare event and one per thread do not.
double sum_of_squares(const double *v, int n) {
  double sum = 0.0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    // expect: omp-critical-section high "an atomic update" "'sum'" unsafe-fix
#pragma omp atomic
    sum += v[i] * v[i];
  }
  return sum;
}

void histogram(const int *key, int n, long *bins) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    bins[key[i]]++;
  }
}

double once_per_thread(const double *v, int n) {
  double sum = 0.0;
#pragma omp parallel
  {
    double mine = 0.0;
#pragma omp for
    for (int i = 0; i < n; i++)
      mine += v[i];
#pragma omp atomic
    sum += mine;
  }
  return sum;
}

int tickets(const double *v, int n, int *order) {
  int next = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (v[i] > 0.0) {
      int mine;
#pragma omp atomic capture
      mine = next++;
      order[mine] = i;
    }
  return next;
}
