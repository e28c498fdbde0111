// A record for any kind of number: what lies in the vector is the instance for one of them.
#include <cstddef>
#include <cstdio>
#include <vector>

template <typename Number> struct Body {
  Number position[3], velocity[3], force[3];
  Number mass, radius;
  long cell, kind;
};

static double weight(const std::vector<Body<double>> &bodies) {
  double sum = 0.0;
  // expect: mem-array-of-structs high "Body"
  for (std::size_t i = 0; i < bodies.size(); i++)
    sum += bodies[i].mass;
  return sum;
}

int main() {
  std::vector<Body<double>> bodies(300000);
  double total = 0.0;
  for (int step = 0; step < 50; step++) {
    bodies[static_cast<std::size_t>(step)].mass = step;
    total += weight(bodies);
  }
  std::printf("%g\n", total);
  return 0;
}
