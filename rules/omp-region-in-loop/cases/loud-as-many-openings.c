// flags: -fopenmp
// As many openings as there are elements: a sort that exchanges neighbours. A step that doubles opens few regions, and a
// loop in each iteration is more work than an opening.
void exchange_sort(int *a, int n) {
  for (int phase = 0; phase < n; phase++) {
    // expect: omp-region-in-loop medium "a loop of no more iterations than that" "1 to 37 us each time"
#pragma omp parallel for
    for (int i = phase % 2; i < n - 1; i += 2)
      if (a[i] > a[i + 1]) {
        int t = a[i];
        a[i] = a[i + 1];
        a[i + 1] = t;
      }
  }
}

void combine(int *a, int n) {
  for (int width = 1; width < n; width *= 2) {
#pragma omp parallel for
    for (int i = 0; i < n - width; i++)
      a[i] += a[i + width] > a[i];
  }
}

void shortest(int *d, int n) {
  for (int k = 0; k < n; k++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (d[i * n + k] + d[k * n + j] < d[i * n + j])
          d[i * n + j] = d[i * n + k] + d[k * n + j];
  }
}
