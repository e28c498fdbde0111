// flags: -fopenmp
// fixes: omp-calloc-first-touch
// Zeros that a team can write instead: as many numbers as the statement says. Not elements that are records, nor a
// length that lies in memory of their type.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static double plane[1 << 20];

struct Pair {
  double first, second;
};

template <typename T> static void grow(T *a, std::size_t n) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; i++)
    a[i] += 1;
}

static void add(Pair *a, int n) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++)
    a[i].second += 1;
}

int main(int argc, char **) {
  const int rows = 1000 * argc, columns = 1000;
  // expect: omp-calloc-first-touch medium "new[]()" fix
  double *a = new double[std::size_t(rows) * columns]();
  // expect: omp-calloc-first-touch high "memset" fix
  std::memset(plane, 0, sizeof plane);
  float *b = static_cast<float *>(std::malloc(sizeof(float) * rows * columns));
  if (!b)
    return 1;
  // expect: omp-calloc-first-touch medium "memset" fix
  memset(b, 0, sizeof(float) * rows * columns);
  Pair *c = static_cast<Pair *>(std::malloc(sizeof(Pair) * 1000000));
  if (!c)
    return 1;
  // expect: omp-calloc-first-touch high "memset" no-fix
  memset(c, 0, sizeof(Pair) * 1000000);
  static int length;
  length = 1000000 * argc;
  int *d = static_cast<int *>(std::malloc(sizeof(int) * length));
  if (!d)
    return 1;
  // expect: omp-calloc-first-touch medium "memset" no-fix
  memset(d, 0, sizeof(int) * length);
  for (int step = 0; step < 20; step++) {
    grow(a, std::size_t(rows) * columns);
    grow(plane, sizeof plane / sizeof plane[0]);
    grow(b, std::size_t(rows) * columns);
    add(c, 1000000);
    grow(d, std::size_t(length));
  }
  std::printf("%g %g %g %g %d\n", a[77], plane[4], b[77], c[3].second, d[3]);
  delete[] a;
  std::free(b);
  std::free(c);
  std::free(d);
  return 0;
}
