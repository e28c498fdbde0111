// flags: -fopenmp
// Messages, output and calls between the regions; teams of different size; guards.
#include <cstdio>
#include <vector>

void exchange(std::vector<double> &v);

void step(std::vector<double> &a, std::vector<double> &b, int steps, int few) {
  const int n = static_cast<int>(a.size());
  for (int s = 0; s < steps; ++s) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      a[i] *= 0.5;
    exchange(a);
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      b[i] += a[i];
    std::printf("%d\n", s);
#pragma omp parallel for num_threads(few)
    for (int i = 0; i < n; ++i)
      b[i] += a[n - 1 - i];
#pragma omp parallel for if (n > 10000)
    for (int i = 0; i < n; ++i)
      a[i] += 1.0;
  }
}
