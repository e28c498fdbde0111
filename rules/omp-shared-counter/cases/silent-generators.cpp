// flags: -fopenmp
// A generator of each thread's own, one whose state is nobody's value, and function objects that keep no state.
#include <cstddef>
#include <functional>
#include <random>
#include <vector>

void fill(std::vector<double> &x, unsigned seed) {
#pragma omp parallel
  {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform;
#pragma omp for
    for (std::size_t k = 0; k < x.size(); ++k)
      x[k] = uniform(generator);
  }
}

void seeds(std::vector<unsigned> &x, std::random_device &device) {
#pragma omp parallel for
  for (std::size_t k = 0; k < x.size(); ++k)
    x[k] = device();
}

void map(std::vector<double> &x, std::function<double(double)> f) {
#pragma omp parallel for
  for (std::size_t k = 0; k < x.size(); ++k)
    x[k] = f(x[k]);
}

void in_turn(std::vector<double> &x, std::mt19937 &generator) {
#pragma omp parallel for
  for (std::size_t k = 0; k < x.size(); ++k) {
    unsigned drawn;
#pragma omp critical
    drawn = generator();
    x[k] = drawn;
  }
}
