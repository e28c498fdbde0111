// Hot loops that the compiler does vectorise: it checks for overlap at run time, integer sums have no order, and the
// programmer allowed the others.
// flags: -fopenmp-simd
#include <cstdio>
#include <vector>

static void axpy(double *y, const double *x, double a, int n) {
  for (int i = 0; i < n; i++)
    y[i] += a * x[i];
}

static long count(const std::vector<int> &v) {
  long sum = 0;
  for (int x : v)
    sum += x;
  return sum;
}

static double norm(const std::vector<double> &v) {
  double sum = 0.0;
  const double *p = v.data();
  const int n = static_cast<int>(v.size());
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += p[i] * p[i];
  return sum;
}

static double components(const double (*cells)[3], int n) {
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
      sum += cells[i][k] * cells[i][k];
    if (sum > largest)
      std::printf("%d %g\n", i, largest = sum);
  }
  return largest;
}

int main() {
  std::vector<double> x(4000, 0.5), y(4000, 0.25);
  std::vector<int> n(4000, 3);
  static double cells[100][3];
  double total = 0.0;
  for (int step = 0; step < 10; step++) {
    axpy(y.data(), x.data(), 0.1, 4000);
    total += norm(y) + static_cast<double>(count(n)) + components(cells, 100);
  }
  std::printf("%.6f\n", total);
}
