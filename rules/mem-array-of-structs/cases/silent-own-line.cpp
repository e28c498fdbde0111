// One record for each thread, kept on a cache line of its own on purpose.
#include <vector>

struct alignas(64) Slot {
  double flux = 0, heat = 0;
  long hits = 0;
};

double collect(const std::vector<Slot> &slots, int steps) {
  double sum = 0;
  for (int s = 0; s < steps; ++s)
    for (const Slot &x : slots)
      sum += x.flux * s;
  return sum;
}
