// flags: -fopenmp
// Vectors write their elements when they are constructed or resized, and so does new with parentheses.
#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

class Field {
public:
  // expect: omp-calloc-first-touch medium "the constructor of std::vector" "'Values'"
  explicit Field(std::size_t size) : Values(size) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < Values.size(); ++i)
      Values[i] = static_cast<double>(i % 10);
  }
  void scale(double factor) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < Values.size(); ++i)
      Values[i] *= factor;
  }
  double operator[](std::size_t i) const { return Values[i]; }
  std::size_t size() const { return Values.size(); }

private:
  std::vector<double> Values;
};

int main() {
  const std::size_t count = 2000000;
  Field field(count);
  // expect: omp-calloc-first-touch high "new[]()" "line 38"
  std::unique_ptr<double[]> sums(new double[count]());
  // A small table: a few pages.
  std::vector<double> weights(16, 0.5);
  for (int step = 0; step < 30; ++step) {
    field.scale(2.0);
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < count; ++i)
      sums[i] += field[i] * weights[i % 16];
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i)
    sum += sums[i];
  std::printf("%.1f\n", sum);
}
