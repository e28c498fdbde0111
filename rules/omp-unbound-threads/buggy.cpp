// flags: -fopenmp
// A histogram by threads that nothing binds to cores.
#include <cstdio>
#include <vector>

int main() {
  std::vector<long> seen(64);
  const int samples = 200000;
  for (int round = 0; round < 50; ++round) {
    // may-run: omp-unbound-threads
#pragma omp parallel
    {
      std::vector<long> mine(64);
#pragma omp for nowait
      for (int i = 0; i < samples; ++i)
        ++mine[std::size_t((i * 2654435761u) >> 26)];
#pragma omp critical
      for (std::size_t b = 0; b < mine.size(); ++b)
        seen[b] += mine[b];
    }
  }
  std::printf("%ld %ld\n", seen[3], seen[60]);
}
