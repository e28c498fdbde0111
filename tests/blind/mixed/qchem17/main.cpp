#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <thread>
#include <omp.h>
#include "basis.hpp"

using namespace qc;

namespace {

void wait_for_lock(const char* name) {
  for (int tries = 0; tries < 3; ++tries) {
    std::ifstream f(name);
    if (!f) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void write_checkpoint(const Matrix<double>& d, int it) {
  double s = 0;
  for (index i = 0; i < d.rows(); ++i) s += std::accumulate(d.row(i), d.row(i) + d.cols(), 0.0);
  if (it < 0) std::printf("%g\n", s);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

} // namespace

int main(int argc, char** argv) {
  const index n = argc > 1 ? std::atoi(argv[1]) : 32;
  const index nocc = n / 4;
  wait_for_lock("qchem.lock");
  Basis b(n);
  Matrix<double> s(n, n), t(n, n), v(n, n), h(n, n), q(n, n);
  Matrix<double> c(n, n), d(n, n), old(n, n), f(n, n), k(n, n);
  Tensor<double, 4> g({n, n, n, n});
  Stats st(omp_get_max_threads());
  g.zero();
  overlap(b, s);
  kinetic(b, t);
  potential(b, v);
  schwarz(b, q);
  const auto t0 = std::chrono::steady_clock::now();
  repulsion(b, g, st);
  for (index i = 0; i < n; ++i)
    for (index j = 0; j < n; ++j) h(i, j) = t(i, j) + v(i, j);
  for (index i = 0; i < n; ++i) {
    c(i, i) = 1;
    c(i, (i + 1) % n) = 0.1;
  }
  std::vector<double> pop(n), eps(n);
  double e = 0;
  for (int it = 0; it < 8; ++it) {
    orthogonalise(c, s);
    old = d;
    density(c, nocc, d);
    damp(d, old, [](double x, double y) { return 0.7 * x + 0.3 * y; });
    fock(g, h, d, f);
    exchange_scatter(g, d, k, 1e-6);
    e = energy(h, f, d);
    for (index o = 0; o < n; ++o) {
      double x = 0;
      for (index i = 0; i < n; ++i) x += c(i, o) * f(i, i) * c(i, o);
      eps[o] = x;
    }
    std::sort(eps.begin(), eps.end());
    for (index i = 0; i < n; ++i)
      for (index j = 0; j < n; ++j) c(i, j) -= 0.01 * f(i, j);
    write_checkpoint(d, it);
    std::printf("%3d %.8f\n", it, e);
  }
  std::vector<std::vector<double>> rows(n, std::vector<double>(n));
  for (index i = 0; i < n; ++i) std::copy(d.row(i), d.row(i) + n, rows[i].begin());
  const double tot = populations(rows, s, pop);
  const double e2 = mp2(g, c, eps, nocc);
  const double ne = grid_density(b, d, 20000);
  const std::chrono::duration<double> dt = std::chrono::steady_clock::now() - t0;
  std::printf("pop %.4f mp2 %.6f grid %.3f near %td quartets %ld time %.3f\n", tot, e2, ne, b.near(2.0),
              std::accumulate(st.quartets.begin(), st.quartets.end(), 0L), dt.count());
  return 0;
}
