#include <cstddef>
#include <vector>

class Field {
public:
  Field(std::size_t rows, std::size_t columns) : Rows(rows), Columns(columns), Values(rows * columns) {}
  double &operator()(std::size_t i, std::size_t j) { return Values[i * Columns + j]; }
  double operator()(std::size_t i, std::size_t j) const { return Values[i * Columns + j]; }
  std::size_t rows() const { return Rows; }
  std::size_t columns() const { return Columns; }

private:
  std::size_t Rows;
  std::size_t Columns;
  std::vector<double> Values;
};

void accumulate(Field &sum, const Field &part) {
  for (std::size_t j = 0; j < part.columns(); ++j)
    // expect: mem-strided-inner-loop medium "8 * Columns bytes" "8 bytes"
    for (std::size_t i = 0; i < part.rows(); ++i)
      sum(i, j) += part(i, j);
}
