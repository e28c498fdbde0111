// flags: -fopenmp
// Collapsed loops are divided as one: each thread gets a block of all iterations, and blocks meet at their ends only.
#include <cstddef>
#include <vector>

struct Lattice {
  long width, height;
  double *cells;
};
static inline double *cell(const Lattice *of, long x, long y) { return &of->cells[(x * of->height + y) * 19]; }

void stream(Lattice *to, const Lattice *from) {
#pragma omp parallel for collapse(3) schedule(static)
  for (long x = 0; x < to->width; x++)
    for (long y = 0; y < to->height; y++)
      for (long q = 0; q < 19; q++)
        cell(to, x, y)[q] = cell(from, x, y)[q];
}

class Field {
public:
  float &at(std::size_t row, std::size_t column) { return values[row * 4 + column]; }
  void damp(std::size_t rows) {
#pragma omp parallel for collapse(2) schedule(static)
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t c = 0; c < 4; ++c)
        at(i, c) *= 0.5f;
  }

private:
  std::vector<float> values;
};

// Sums that stay in memory, two to a row.
void moments(int rows, int columns, const double *in, double *out) {
#pragma omp parallel for collapse(2)
  for (int r = 0; r < rows; r++)
    for (int m = 0; m < 2; m++)
      for (int c = 0; c < columns; c++)
        out[r * 2 + m] += in[r * columns + c] * (m + 1);
}

// A triangle, whose rows differ in length.
void triangle(int n, double *out) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      out[i * 8 + j] += 1.0;
}

// Chunks of whole rows, which are whole lines.
void rows_in_turn(int rows, double *out) {
#pragma omp parallel for collapse(2) schedule(static, 8)
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < 8; c++)
      out[r * 8 + c] += 1.0;
}

// Chunks of rows that are far apart.
void apart(int rows, double *out) {
#pragma omp parallel for collapse(2) schedule(static, 4)
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < 4; c++)
      out[r * 32 + c] += 1.0;
}

template <typename T> void scale(T *out, unsigned n) {
#pragma omp parallel
  {
#pragma omp for collapse(2) schedule(static)
    for (unsigned i = 0; i < n; ++i)
      for (unsigned k = 0; k < 3; ++k)
        out[i * 3 + k] *= T(2);
  }
}
template void scale<double>(double *, unsigned);
