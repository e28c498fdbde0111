// flags: -fopenmp
// Without a worksharing construct every thread runs all of it.
int touched;

void touch(double *x, int n) {
  int i, steps = 0;
#pragma omp parallel
  {
    // expect: omp-shared-counter high "private(i)" no-fix
    for (i = 0; i < n; i++)
      x[i] *= 0.5;
    // expect: omp-shared-counter high "update the same 'steps'" no-fix
    steps += 1;
#pragma omp for
    for (i = 0; i < n; i++) {
      x[i] += 1.0;
      // expect: omp-shared-counter high "update the same 'touched'" no-fix
      ++touched;
    }
  }
  x[0] = steps;
}
