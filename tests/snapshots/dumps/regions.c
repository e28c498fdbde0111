void scale(int steps, double *a) {
  for (int t = 0; t < steps; ++t) {
#pragma omp parallel
    {
      double twice;
#pragma omp for private(twice) nowait
      for (int i = 0; i < 1000; ++i) {
        twice = 2 * a[i];
        a[i] = twice;
      }
#pragma omp single
      a[0] = t;
    }
  }
}
