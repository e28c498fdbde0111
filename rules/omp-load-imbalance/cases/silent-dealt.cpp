// flags: -fopenmp
// Triangles under other schedules, both loops as one, and in one piece for what the next loop does without a barrier.
#include <vector>

void turns(std::vector<std::vector<double>> &s, int n) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      s[i][j] = i - j;
}

void fetched(double *s, long n) {
#pragma omp parallel for schedule(dynamic, 8)
  for (long i = 0; i < n; ++i)
    for (long j = 0; j <= i; ++j)
      s[i * n + j] = 0.5 * static_cast<double>(i - j);
}

void chosen(double *s, long n) {
#pragma omp parallel for schedule(runtime)
  for (long i = 0; i < n; ++i)
    for (long j = 0; j <= i; ++j)
      s[i * n + j] = 0.5 * static_cast<double>(i - j);
}

void kept(double *s, double *t, long n) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (long i = 0; i < n; ++i)
      for (long j = 0; j <= i; ++j)
        s[i * n + j] = 0.5 * static_cast<double>(i - j);
#pragma omp for schedule(static)
    for (long i = 0; i < n; ++i)
      t[i] = s[i * n];
  }
}
