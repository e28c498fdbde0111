// flags: -fopenmp
// Generators of random numbers that all threads draw from, and distributions that keep a number for the next call.
#include <cstddef>
#include <random>
#include <vector>

void drop(std::vector<float> &x, unsigned below, std::mt19937 &generator) {
#pragma omp parallel for
  for (std::size_t k = 0; k < x.size(); ++k)
    // expect: omp-shared-counter high "'generator'" "of its own"
    x[k] = generator() < below ? 0.0f : x[k];
}

void fill(std::vector<double> &x, std::mt19937_64 &source) {
#pragma omp parallel
  {
    std::normal_distribution<double> normal;
#pragma omp for
    for (std::size_t k = 0; k < x.size(); ++k)
      // expect: omp-shared-counter high "'source'"
      x[k] = normal(source);
  }
}
