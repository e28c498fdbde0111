// A small solver class, where every access is a call.
// flags: -O0
#include <cstddef>
#include <cstdio>
#include <vector>

template <typename T> class Field {
public:
  explicit Field(std::size_t points) : values(points) {}
  T &operator()(std::size_t i) { return values[i]; }
  const T &operator()(std::size_t i) const { return values[i]; }
  std::size_t size() const { return values.size(); }
  T sum() const {
    T total{};
    for (const T &value : values)
      total += value;
    return total;
  }

private:
  std::vector<T> values;
};

template <typename T> static void relax(const Field<T> &from, Field<T> &to) {
  for (std::size_t i = 1; i + 1 < from.size(); ++i)
    to(i) = T(0.5) * (from(i - 1) + from(i + 1));
}

// expect: build-unoptimised high "every value of its loops goes through memory" "without optimisation"
int main() {
  Field<double> now(20000), next(20000);
  for (std::size_t i = 0; i < now.size(); ++i)
    now(i) = next(i) = static_cast<double>(i % 13);
  for (int step = 0; step < 100; ++step) {
    relax(now, next);
    relax(next, now);
  }
  std::printf("%.6f\n", now.sum() / static_cast<double>(now.size()));
}
