// Records that are assigned whole: complex numbers of a Fourier transform along the columns.
#include <complex>
#include <vector>

using Number = std::complex<double>;
constexpr std::size_t Order = 1024;

void gather(const std::vector<Number> &grid, std::vector<Number> &column, std::vector<Number> &out) {
  for (std::size_t j = 0; j < Order; ++j) {
    // expect: mem-power-of-two-stride high, mem-strided-inner-loop medium "copy 4 neighbouring lines"
    for (std::size_t i = 0; i < Order; ++i)
      column[i] = grid[i * Order + j];
    for (std::size_t i = 0; i < Order; ++i)
      out[j * Order + i] = column[i];
  }
}

void transpose(const std::vector<Number> &grid, std::vector<Number> &out) {
  for (std::size_t i = 0; i < Order; ++i)
    // expect: mem-power-of-two-stride high, mem-unblocked-transpose high "out"
    for (std::size_t j = 0; j < Order; ++j)
      out[j * Order + i] = grid[i * Order + j];
}
