// flags: -fopenmp
// std::array, a template's length, a lambda as the iteration.
#include <array>

constexpr int Species = 12;

template <int N> void decay(std::array<double, N> &amount, const std::array<double, N> &rate) {
  // expect: omp-small-loop medium
#pragma omp parallel for
  for (int s = 0; s < N; ++s)
    amount[s] -= rate[s] * amount[s];
}

void react(std::array<double, Species> &amount, const std::array<double, Species> &rate) { decay<Species>(amount, rate); }

void weigh(double (&w)[27], double total) {
  auto share = [total](double v) { return v / total; };
  // expect: omp-small-loop medium "103"
#pragma omp parallel for
  for (int q = 0; q < 27; ++q)
    w[q] = share(w[q]);
}
