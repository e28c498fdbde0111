// flags: -fopenmp
// Equal iterations in other words: containers, accessors, a plain for in a region, a constant chunk, guided.
#include <cmath>
#include <cstddef>
#include <vector>

constexpr int Chunk = 2;

class Field {
public:
  explicit Field(std::size_t n) : values(n) {}
  double &operator()(std::size_t i) { return values[i]; }
  std::size_t size() const { return values.size(); }

private:
  std::vector<double> values;
};

namespace {

inline double blend(double a, double b) { return 0.3 * a + 0.7 * b; }

template <typename T> void scale(T *v, long n, T by) {
  // expect: omp-costly-schedule high "about 2 ns of work" "dynamic,2" unsafe-fix
#pragma omp parallel for schedule(dynamic, Chunk)
  for (long i = 0; i < n; ++i)
    v[i] *= by;
}

} // namespace

void mix(Field &a, Field &b) {
#pragma omp parallel
  {
    // expect: omp-costly-schedule high "about 1 ns of work" "dynamic,1" unsafe-fix
#pragma omp for schedule(dynamic)
    for (std::size_t i = 0; i < a.size(); ++i)
      a(i) = blend(a(i), b(i));
  }
}

double length(const double (&v)[1000]) {
  double sum = 0;
  // expect: omp-costly-schedule medium "about 21 ns of work in the mean" "guided,1" unsafe-fix
#pragma omp parallel for schedule(guided) reduction(+ : sum)
  for (int i = 0; i < 1000; ++i)
    sum += v[i] * v[i];
  return std::sqrt(sum);
}

void rows(double *out, const double *in, int n, int m) {
  // expect: omp-costly-schedule medium "one inner loop's work of the same length each" "dynamic,1" fix
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      out[i * m + j] = 2.0 * in[i * m + j];
}

void both(double *d, float *f, long n) {
  scale(d, n, 0.5);
  scale(f, n, 0.5f);
}
