// flags: -fopenmp -Ofast
// A private variable that no iteration sets: what such a loop computes is undefined, the optimiser may drop it, and what
// is left of it says nothing about its cost. Nor does a loop whose inner loops the optimiser has taken away.
typedef struct {
  float **flux;
  double volume;
} Source;

void normalise(Source *sources, int n, int intervals, int groups, float total) {
  float scale = 1.0f / total;
#pragma omp parallel for private(scale) schedule(dynamic)
  for (int i = 0; i < n; i++) {
    float adjust = scale * intervals / sources[i].volume;
    for (int k = 0; k < intervals; k++)
      for (int g = 0; g < groups; g++)
        sources[i].flux[k][g] *= adjust;
  }
}

void shift(double *values, double by) {
  for (int step = 0; step < 1000; step++) {
    double first = by;
#pragma omp parallel for private(first)
    for (int i = 0; i < 64; i++)
      values[i] += first;
  }
}

void count(long *sums, int steps) {
  for (int s = 0; s < steps; s++) {
    int from = 3;
#pragma omp parallel for private(from)
    for (int i = 0; i < 16; i++) {
      sums[i] += from++;
      from = i;
    }
  }
}
