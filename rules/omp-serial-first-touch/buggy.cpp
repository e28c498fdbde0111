// flags: -fopenmp
// Constructors and algorithms fill the fields on one thread, the members' shared loops use them.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <memory>

class Field {
public:
  explicit Field(std::size_t size) : Size(size), Values(new double[size]) {
    // expect: omp-serial-first-touch medium "'Values'" "line 17"
    for (std::size_t i = 0; i < Size; ++i)
      Values[i] = static_cast<double>(i % 10);
  }
  void add(const Field &other, double factor) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < Size; ++i)
      Values[i] += factor * other.Values[i];
  }
  double sum() const {
    double all = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : all)
    for (std::size_t i = 0; i < Size; ++i)
      all += Values[i];
    return all;
  }

private:
  std::size_t Size;
  std::unique_ptr<double[]> Values;
};

int main() {
  const std::size_t count = 2000000;
  Field a(count), b(count);
  std::unique_ptr<float[]> mask(new float[count]);
  // expect: omp-serial-first-touch high "line 44" "'mask'"
  std::fill(mask.get(), mask.get() + count, 1.0F);
  // One number for each step: a few bytes, used by one thread.
  std::unique_ptr<double[]> sums(new double[3]);
  for (int step = 0; step < 3; ++step) {
    a.add(b, 2.0);
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < count; ++i)
      mask[i] *= 0.5F;
    sums[step] = a.sum();
  }
  std::printf("%.1f %.1f %.1f %g\n", sums[0], sums[1], sums[2], mask[7]);
}
