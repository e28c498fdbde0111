// flags: -fopenmp
// The vector operations of a conjugate gradient solver, each with a team of its own.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

using Vector = std::vector<double>;
constexpr std::size_t Unknowns = 6000;

class Solver {
public:
  double iterate(int count) {
    double rho = dot(r, r);
    for (int k = 0; k < count; ++k) {
      apply();
      const double alpha = rho / dot(p, q);
      advance(alpha);
      const double next = dot(r, r);
      turn(next / rho);
      rho = next;
    }
    return rho;
  }

  double norm() const { return std::sqrt(dot(x, x)); }

private:
  void apply() {
    const std::size_t n = p.size();
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i)
      q[i] = (2.0 + 0.001 * double(i)) * p[i];
  }
  void advance(double alpha) {
    const std::size_t n = x.size();
    // expect: omp-adjacent-regions high "line 41"
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i)
      x[i] += alpha * p[i];
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i)
      r[i] -= alpha * q[i];
  }
  void turn(double beta) {
    const std::size_t n = p.size();
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i)
      p[i] = r[i] + beta * p[i];
  }
  static double dot(const Vector &a, const Vector &b) {
    double sum = 0;
    const std::size_t n = a.size();
#pragma omp parallel for reduction(+ : sum)
    for (std::size_t i = 0; i < n; ++i)
      sum += a[i] * b[i];
    return sum;
  }
  Vector x = Vector(Unknowns), r = Vector(Unknowns, 1.0), p = r, q = x;
};

int main() {
  Solver solver;
  const double rest = solver.iterate(8);
  std::printf("%.4f %s\n", solver.norm(), rest < 1.0 ? "small" : "large");
}
