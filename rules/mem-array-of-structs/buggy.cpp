// Particles that are kicked and weighed in every step: both sweeps use a few of the values of an object, and bring in
// all of them.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

class Particle {
public:
  explicit Particle(int k) : mass_(1.0 + k % 3), charge_(k % 2 ? 1.0 : -1.0), cell_(k / 64) {
    for (std::size_t d = 0; d < 3; d++) {
      position_[d] = k % 17;
      velocity_[d] = 0.01 * (k % 5);
    }
  }
  double mass() const { return mass_; }
  double charge() const { return charge_; }
  double speed() const { return velocity_[0]; }
  void kick(double by) { velocity_[0] += by; }
  void assign(long to) { cell_ = to; }
  long cell() const { return cell_; }

private:
  std::array<double, 3> position_, velocity_, dipole_{}, birth_{};
  double mass_, charge_;
  long cell_;
};

struct Range {
  double low, high;
};

template <typename Items, typename Action> void each(Items &items, Action act) {
  // expect: mem-array-of-structs high "Particle" "item"
  for (auto &item : items)
    act(item);
}

class Cloud {
public:
  explicit Cloud(int n) {
    particles.reserve(static_cast<std::size_t>(n));
    for (int k = 0; k < n; k++)
      particles.emplace_back(k);
  }
  void kick(double field) {
    each(particles, [field](Particle &p) { p.kick(field * p.charge()); });
  }
  double weight() const {
    std::array<double, 4> parts{};
    for (std::size_t i = 0; i < particles.size(); i++)
      parts[i % 4] += particles[i].mass() * particles[i].charge();
    return parts[0] + parts[1] + parts[2] + parts[3];
  }
  // Looks for one particle and stops there: no sweep.
  long first(long cell) const {
    for (std::size_t i = 0; i < particles.size(); i++)
      if (particles[i].cell() == cell)
        return static_cast<long>(i);
    return -1;
  }
  double speed(std::size_t k) const { return particles[k].speed(); }

private:
  std::vector<Particle> particles;
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
