#include <array>
#include <cstddef>
#include <vector>

template <typename T, std::size_t Rows, std::size_t Columns> class Field {
public:
  T &operator()(std::size_t row, std::size_t column) { return values_[row * Columns + column]; }
  const T &operator()(std::size_t row, std::size_t column) const { return values_[row * Columns + column]; }

private:
  std::vector<T> values_ = std::vector<T>(Rows * Columns);
};

using Image = Field<double, 512, 512>;

void transpose(const Image &in, Image &out) {
  for (std::size_t i = 0; i < 512; ++i)
    // expect: mem-power-of-two-stride high, mem-unblocked-transpose medium "out"
    for (std::size_t j = 0; j < 512; ++j)
      out(j, i) = in(i, j);
}
