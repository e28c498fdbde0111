// A sum and a maximum over vectors, both called for every step.
#include <cstddef>
#include <cstdio>
#include <vector>

class Series {
public:
  explicit Series(std::size_t n) : values(n, 1.5) {}

  double squares() const {
    double sum = 0.0;
    // expect: build-missed-vectorization low "the floating-point result 'sum' is combined in a fixed order"
    for (std::size_t i = 0; i < values.size(); i++)
      sum += values[i] * values[i];
    return sum;
  }

  void scale(double by) {
    for (double &v : values)
      v *= by;
  }

private:
  std::vector<double> values;
};

template <typename T> T largest(const T *v, int n) {
  T top = v[0];
  // expect: build-missed-vectorization high "the floating-point result 'top' is combined in a fixed order"
  for (int i = 0; i < n; i++)
    top = v[i] * v[i] > top ? v[i] * v[i] : top;
  return top;
}

int main() {
  Series s(5000);
  std::vector<float> f(5000, 0.5f);
  double total = 0.0;
  for (int step = 0; step < 20; step++) {
    total += s.squares();
    s.scale(0.99);
    total += largest(f.data(), 5000);
  }
  std::printf("%.6f\n", total);
}
