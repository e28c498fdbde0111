// flags: -fopenmp
// Two loops that write to different arrays: known by restrict, or of pointers that may lead to the same one.
void relax(float *restrict a, float *restrict b, const float *restrict c, int n, int sweeps) {
  for (int s = 0; s < sweeps; s++) {
    // expect: omp-adjacent-regions medium "line 9" "with nowait: they share no data"
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
      a[i] *= c[i];
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
      b[i] += c[i];
  }
}

void mirror(float *a, float *b, int n, int sweeps) {
  for (int s = 0; s < sweeps; s++) {
    // expect: omp-adjacent-regions medium "line 21" "if no two pointers lead to the same array"
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      a[i] *= 0.5f;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      b[n - 1 - i] += 1.0f;
  }
}
