// flags: -fopenmp
// One element of a vector per thread, in several spellings.
#include <cstddef>
#include <omp.h>
#include <vector>

double dot(const std::vector<double> &a, const std::vector<double> &b) {
  std::vector<double> partial(omp_get_max_threads(), 0.0);
#pragma omp parallel
  {
    double &mine = partial[omp_get_thread_num()];
#pragma omp for
    for (std::size_t i = 0; i < a.size(); ++i)
      // expect: omp-false-sharing high "neighbouring threads" "partial"
      mine += a[i] * b[i];
  }
  double sum = 0.0;
  for (double p : partial)
    sum += p;
  return sum;
}

// The number of the thread in a variable from outside, the loop over the elements without index.
std::vector<float> energies(const std::vector<float> &speed, int threads) {
  std::vector<float> energy(threads);
  int me = 0;
#pragma omp parallel num_threads(threads) private(me)
  {
    me = omp_get_thread_num();
    for (float s : speed)
      // expect: omp-false-sharing high "neighbouring threads" "energy"
      energy[me] += 0.5F * s * s;
  }
  return energy;
}

// Elements are collected in one vector per thread: its end pointer moves with each of them.
std::size_t select(const std::vector<int> &keys, int limit) {
  std::vector<std::vector<int>> chosen(omp_get_max_threads());
#pragma omp parallel
  {
    auto &mine = chosen[omp_get_thread_num()];
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] < limit)
        // expect: omp-false-sharing medium "neighbouring threads" "chosen"
        mine.push_back(keys[i]);
  }
  std::size_t count = 0;
  for (const auto &list : chosen)
    count += list.size();
  return count;
}
