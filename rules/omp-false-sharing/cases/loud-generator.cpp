// flags: -fopenmp
// The states of the threads' random numbers lie side by side, and each number changes one.
#include <cstdlib>
#include <omp.h>
#include <random>

double pi(long count) {
  unsigned seed[64];
  long inside = 0;
  for (int t = 0; t < 64; ++t)
    seed[t] = 17U + t;
#pragma omp parallel for reduction(+ : inside)
  for (long i = 0; i < count; ++i) {
    // expect: omp-false-sharing high "neighbouring threads" "seed"
    const double x = rand_r(&seed[omp_get_thread_num()]) / (RAND_MAX + 1.0);
    const double y = rand_r(&seed[omp_get_thread_num()]) / (RAND_MAX + 1.0);
    inside += x * x + y * y <= 1.0;
  }
  return 4.0 * static_cast<double>(inside) / static_cast<double>(count);
}

// These are several lines long.
double mean(long count, std::mt19937 *engines) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  double sum = 0.0;
#pragma omp parallel for firstprivate(uniform) reduction(+ : sum)
  for (long i = 0; i < count; ++i)
    sum += uniform(engines[omp_get_thread_num()]);
  return sum / static_cast<double>(count);
}
