// flags: -fopenmp
// fixes: omp-critical-section
// Statistics of a particle cloud: members, containers and lambdas, and every particle queues for a lock.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

constexpr std::size_t Count = 40000;

struct Particle {
  double x, y, mass;
};

class Cloud {
public:
  Cloud() {
    for (std::size_t i = 0; i < Count; ++i)
      particles[i] = {double(i % 97), double(i % 31), 1.0 + double(i % 3)};
  }

  double mass() const {
    double sum = 0;
    const std::size_t n = particles.size();
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i) {
      // expect: omp-critical-section high "a critical section" "'sum'" unsafe-fix
#pragma omp critical(mass)
      sum += particles[i].mass;
    }
    return sum;
  }

  double reach() const {
    auto distance = [](const Particle &p) { return p.x * p.x + p.y * p.y; };
    double most = 0;
#pragma omp parallel
    {
#pragma omp for
      for (std::size_t i = 0; i < particles.size(); ++i) {
        const double here = distance(particles[i]);
        // expect: omp-critical-section high "a critical section" "'most'" unsafe-fix
#pragma omp critical(reach)
        most = std::max(most, here);
      }
    }
    return most;
  }

  std::vector<long> histogram(std::size_t bins) const {
    std::vector<long> counts(bins);
    const std::size_t n = particles.size();
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i) {
      const auto bin = static_cast<std::size_t>(particles[i].x) % bins;
      // expect: omp-critical-section high "a critical section" "'counts[bin]'" fix
#pragma omp critical(bins)
      ++counts[bin];
    }
    return counts;
  }

  std::vector<std::size_t> heavy() const {
    std::vector<std::size_t> found;
    const std::size_t n = particles.size();
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i)
      if (particles[i].mass > 2.5) {
        // may-run: omp-critical-section
        // expect: omp-critical-section medium "append to a list of its own" no-fix
#pragma omp critical(heavy)
        found.push_back(i);
      }
    std::sort(found.begin(), found.end());
    return found;
  }

  // Once per thread.
  double moment() const {
    double sum = 0;
#pragma omp parallel
    {
      double mine = 0;
#pragma omp for nowait
      for (std::size_t i = 0; i < particles.size(); ++i)
        mine += particles[i].mass * particles[i].x;
#pragma omp critical(moment)
      sum += mine;
    }
    return sum;
  }

private:
  std::vector<Particle> particles = std::vector<Particle>(Count);
};

int main() {
  const Cloud cloud;
  std::printf("%.0f %.0f %ld %zu %.0f\n", cloud.mass(), cloud.reach(), cloud.histogram(16)[3], cloud.heavy().size(),
              cloud.moment());
}
