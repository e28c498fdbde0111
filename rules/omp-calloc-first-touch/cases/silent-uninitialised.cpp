// flags: -fopenmp
// Allocated without values, or with an allocator that writes nothing.
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

template <typename T> struct Untouched {
  using value_type = T;
  Untouched() = default;
  template <typename U> Untouched(const Untouched<U> &) {}
  T *allocate(std::size_t n) { return static_cast<T *>(::operator new(n * sizeof(T))); }
  void deallocate(T *p, std::size_t) { ::operator delete(p); }
  template <typename U> void construct(U *) {}
  friend bool operator==(const Untouched &, const Untouched &) { return true; }
  friend bool operator!=(const Untouched &, const Untouched &) { return false; }
};

double vectors(std::size_t count) {
  std::vector<double, Untouched<double>> values(count);
  std::unique_ptr<double[]> others(new double[count]);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = 1.0;
    others[i] = 2.0;
  }
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < count; ++i)
    values[i] += others[i];
  return values[count - 1];
}
