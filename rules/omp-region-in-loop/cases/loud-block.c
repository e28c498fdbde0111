// flags: -fopenmp
// The loop that the team shares stands in a block of the region.
void rows(double *restrict a, const double *restrict b, int height, int width) {
  for (int y = 0; y < height; y++) {
    // expect: omp-region-in-loop high "one row of the data" "share the loop at line 4 instead"
#pragma omp parallel
    {
      const double weight = 0.5;
#pragma omp for
      for (int x = 0; x < width; x++)
        a[y * width + x] = weight * b[y * width + x];
    }
  }
#pragma omp parallel for
  for (int y = 0; y < height; y++)
    a[y * width] = 0.0;
}
