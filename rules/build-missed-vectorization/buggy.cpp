// A relaxation of vectors: a generic product is summed in a fixed order, and an activation given as a function object
// calls a scalar mathematical function.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <typename T> T dot(const std::vector<T> &a, const std::vector<T> &b) {
  T sum = 0;
  // expect: build-missed-vectorization low "the floating-point result 'sum' is combined in a fixed order"
  for (std::size_t i = 0; i < a.size(); i++)
    sum += a[i] * b[i];
  return sum;
}

class State {
public:
  explicit State(std::size_t n) : values(n) {
    for (std::size_t i = 0; i < n; i++)
      values[i] = 1.0 + static_cast<double>(i % 3);
  }
  double norm() const { return std::sqrt(dot(values, values)); }
  // `act` for every element, through iterators.
  template <typename Act> void apply(Act act) {
    // expect: build-missed-vectorization high "calls of exp go to scalar functions"
    for (double &v : values)
      v = act(v);
  }
  // Independent elements: nothing stands in the way.
  void scale(double by) {
    for (double &v : values)
      v *= by;
  }
  // Each element needs its left neighbour: no compiler can help.
  void smear() {
    for (std::size_t i = 1; i < values.size(); i++)
      values[i] = 0.5 * values[i] + 0.25 * values[i - 1];
  }
  // Whole numbers may be added in any order.
  long flags() const {
    long set = 0;
    for (double v : values)
      set += v > 0.5;
    return set;
  }

private:
  std::vector<double> values;
};

int main(int argc, char **argv) {
  State state(argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 20000);
  const int steps = argc > 2 ? std::atoi(argv[2]) : 40;
  double norm = 0.0;
  for (int s = 0; s < steps; s++) {
    state.apply([](double v) { return std::exp(-v * v); });
    state.smear();
    norm = state.norm();
    state.scale(1.0 + 1.0 / norm);
  }
  std::printf("%.6f %ld\n", norm, state.flags());
}
