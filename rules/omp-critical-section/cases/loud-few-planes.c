// flags: -fopenmp
// The team shares a few planes, but comes by the section in each cell of them.
enum { planes = 32 };

double total(const double *a, int cells) {
  double sum = 0.0;
#pragma omp parallel for
  for (int k = 0; k < planes; k++)
    for (int i = 0; i < cells; i++)
  // expect: omp-critical-section high "'sum'"
#pragma omp critical
      sum += a[k * cells + i];
  return sum;
}
