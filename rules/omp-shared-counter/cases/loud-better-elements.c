// flags: -fopenmp
// All iterations compare and set the same elements: which of them come last is chance.
enum { N = 500 };
static int tab[N][N];

void shortest_by_k(void) {
#pragma omp parallel for
  for (int k = 0; k < N; ++k)
    for (int i = 0; i < N; ++i)
      if (i != k)
        for (int j = 0; j < N; ++j) {
          int sum = tab[i][k] + tab[k][j];
          if (sum < tab[i][j])
            // expect: omp-shared-counter high "compare and set the same elements of 'tab'" "share a loop within"
            tab[i][j] = sum;
        }
}

// Rows of each iteration's own.
void shortest_by_i(void) {
  for (int k = 0; k < N; ++k)
#pragma omp parallel for
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        int sum = tab[i][k] + tab[k][j];
        if (sum < tab[i][j])
          tab[i][j] = sum;
      }
}

// Looked at before a lock, and once more behind it.
void largest(int n, int m, const double *values, double *most) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      if (values[i * m + j] > most[j]) {
#pragma omp critical
        if (values[i * m + j] > most[j])
          most[j] = values[i * m + j];
      }
}
