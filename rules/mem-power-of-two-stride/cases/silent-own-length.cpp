// Rows as long as the image, or a third of a power of two.
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

static void columns_of(const std::vector<number> &f, int n, std::vector<double> &out) {
  std::vector<number> line(n);
  for (int c = 0; c < n; ++c) {
    // expect: mem-strided-inner-loop
    for (int k = 0; k < n; ++k)
      line[k] = f[std::size_t(k) * n + c];
    transform(line.data(), n);
    out[c] = line[0].real();
  }
}

void filter(const double *image, int columns, std::vector<double> &out) {
  const int n = padded(columns) / 3;
  std::vector<number> f(std::size_t(n) * n, image[0]);
  columns_of(f, n, out);
}

void plain(const double *image, int columns, std::vector<double> &out) {
  std::vector<number> f(std::size_t(columns) * columns, image[0]);
  columns_of(f, columns, out);
}
