// flags: -fopenmp -fopenmp-version=51
void scale(double *x, int n) {
  int j = 0;
#pragma omp parallel for default(firstprivate)
  for (int i = 0; i < n; i++) {
    for (j = 0; j < 3; j++)
      x[i] *= 1.5;
  }
}
