// flags: -fopenmp
// A loop template of the program's own: what a lambda takes by reference, all threads update. Not where it is atomic,
// or where each thread has made a lambda over a variable of its own.
#include <vector>

template <class F> void parallel_for(int n, F &&f) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    f(i);
}

template <class F> void each(int n, F &&f) {
  for (int i = 0; i < n; ++i)
    f(i);
}

double energy(const std::vector<double> &x) {
  double sum = 0;
  parallel_for(static_cast<int>(x.size()), [&](int i) {
    double own = 0;
    for (int k = 0; k < 4; k++)
      own += x[i] * k;
    // expect: omp-shared-counter medium "line 7 update the same 'sum'" "return what it adds"
    sum += own;
  });
  return sum;
}

double counted(const std::vector<double> &x) {
  double sum = 0;
  parallel_for(static_cast<int>(x.size()), [&](int i) {
#pragma omp atomic
    sum += x[i];
  });
  return sum;
}

void rows(const std::vector<double> &x, double *out, int n) {
#pragma omp parallel for
  for (int t = 0; t < n; t++) {
    double sum = 0;
    each(static_cast<int>(x.size()), [&](int i) { sum += x[i] * t; });
    out[t] = sum;
  }
}
