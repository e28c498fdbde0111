// flags: -fopenmp
// `master` has no barrier of its own: one before, so that it sees all results, one after, so that all see its own.
void normalise(double *values, int count, int steps, double *largest) {
#pragma omp parallel
  for (int step = 0; step < steps; step++) {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < count; i++)
      values[i] = values[i] * 1.5 + 1.0;
#pragma omp barrier
#pragma omp master
    {
      *largest = values[0];
      for (int i = 1; i < count; i++)
        if (values[i] > *largest)
          *largest = values[i];
    }
#pragma omp barrier
#pragma omp for schedule(static) nowait
    for (int i = 0; i < count; i++)
      values[i] /= *largest;
  }
}
