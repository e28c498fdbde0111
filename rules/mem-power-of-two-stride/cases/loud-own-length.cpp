// A transform of as many points as a power of two, or of an image that is padded to one, gathers column after column.
#include <complex>
#include <vector>

using number = std::complex<double>;

void transform(number *line, int n);

static int padded(int n) {
  int power = 1;
  while (power < n)
    power *= 2;
  return power;
}

void filter(const double *image, int columns, int rows, int levels, std::vector<double> &out) {
  const int n = 1 << levels;
  std::vector<number> f(std::size_t(n) * n), line(n);
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      f[std::size_t(y) * n + x] = image[y * columns + x];
  for (int c = 0; c < n; ++c) {
    // expect: mem-strided-inner-loop
    // expect: mem-power-of-two-stride medium "over 'k' walks down the columns" "one cache line"
    for (int k = 0; k < n; ++k)
      line[k] = f[std::size_t(k) * n + c];
    transform(line.data(), n);
    out[c] = line[0].real();
  }
}

void halves(const double *image, int columns, std::vector<double> &out) {
  const int n = padded(columns) / 2;
  std::vector<number> f(std::size_t(n) * n), line(n);
  for (int c = 0; c < n; ++c)
    f[std::size_t(c) * n] = image[c];
  for (int c = 0; c < n; ++c) {
    // expect: mem-strided-inner-loop
    // expect: mem-power-of-two-stride medium "over 'k' walks down the columns"
    for (int k = 0; k < n; ++k)
      line[k] = f[std::size_t(k) * n + c];
    transform(line.data(), n);
    out[c] = line[0].real();
  }
}
