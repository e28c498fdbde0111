// flags: -fopenmp
// guided hands out large chunks first. A long loop pays for some dozen of them; of a loop whose length nothing shows,
// nobody knows.
void scale(double *a, int n, double f) {
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < n; ++i)
    a[i] *= f;
}

double values[4000000];

void halve(void) {
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < 4000000; ++i)
    values[i] *= 0.5;
}
