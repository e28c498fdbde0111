// Particles that are kicked and weighed in every step: what the sweeps use lies in vectors of its own.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Rest {
  std::array<double, 3> position, dipole, birth;
  long cell;
};

struct Range {
  double low, high;
};

class Cloud {
public:
  explicit Cloud(int n) {
    for (int k = 0; k < n; k++) {
      const double x = k % 17;
      velocity.push_back({0.01 * (k % 5), 0.01 * (k % 5)});
      speeds.push_back(0.01 * (k % 5));
      masses.push_back(1.0 + k % 3);
      charges.push_back(k % 2 ? 1.0 : -1.0);
      rest.push_back(Rest{{x, x, x}, {}, {}, k / 64});
    }
  }
  void kick(double field) {
    for (std::size_t i = 0; i < speeds.size(); i++)
      speeds[i] += field * charges[i];
  }
  double weight() const {
    std::array<double, 4> parts{};
    for (std::size_t i = 0; i < masses.size(); i++)
      parts[i % 4] += masses[i] * charges[i];
    return parts[0] + parts[1] + parts[2] + parts[3];
  }
  // Looks for one particle and stops there: no sweep.
  long first(long cell) const {
    for (std::size_t i = 0; i < rest.size(); i++)
      if (rest[i].cell == cell)
        return static_cast<long>(i);
    return -1;
  }
  double speed(std::size_t k) const { return speeds[k]; }

private:
  std::vector<std::array<double, 2>> velocity; // across the field
  std::vector<double> speeds, masses, charges;
  std::vector<Rest> rest;
};

// Two values of 16 bytes are both used.
static double span(const std::vector<Range> &ranges) {
  double widest = 0.0;
  for (const Range &r : ranges)
    widest = r.high - r.low > widest ? r.high - r.low : widest;
  return widest;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 60000, steps = argc > 2 ? std::atoi(argv[2]) : 20;
  Cloud cloud(n);
  std::vector<Range> ranges(100, Range{0.0, 2.0});
  double seen = 0.0;
  for (int s = 0; s < steps; s++) {
    cloud.kick(0.5);
    seen += cloud.weight() + span(ranges);
  }
  std::printf("%.6f %.6f %ld\n", cloud.speed(7), seen, cloud.first(12));
}
