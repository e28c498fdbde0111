// flags: -fopenmp
// Iterations that differ: triangles, iteration to convergence, particles in cells, unknown work.
#include <cmath>

void pairs(const double *x, double *f, int n) {
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = i + 1; j < n; ++j)
      sum += 1.0 / (x[i] - x[j]);
    f[i] = sum;
  }
}

void escape(int *image, int n, int limit) {
#pragma omp parallel for schedule(dynamic)
  for (int p = 0; p < n; ++p) {
    double x = 0, y = 0, c = p * 0.001;
    int k = 0;
    while (k < limit && x * x + y * y < 4.0) {
      double t = x * x - y * y + c;
      y = 2 * x * y + c;
      x = t;
      ++k;
    }
    image[p] = k;
  }
}

void refine(double *v, const int *active, int n) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i)
    if (active[i])
      v[i] = std::pow(std::sin(v[i]), 3) + std::exp(v[i]) * std::log(1 + v[i] * v[i]);
}

double solve(int task);

void tasks(double *result, int n) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i)
    result[i] = solve(i);
}
