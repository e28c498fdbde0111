#include <cstddef>
#include <vector>

template <typename T> class Matrix {
public:
  Matrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), values_(rows * columns) {}
  T &operator()(std::size_t i, std::size_t j) { return values_[i * columns_ + j]; }
  const T &operator()(std::size_t i, std::size_t j) const { return values_[i * columns_ + j]; }
  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

private:
  std::size_t rows_, columns_;
  std::vector<T> values_;
};

Matrix<float> operator*(const Matrix<float> &a, const Matrix<float> &b) {
  Matrix<float> product(a.rows(), b.columns());
  // expect: mem-handwritten-matmul high "the inner loop over 'k' steps a whole row through 'b'" " of 'a' and 'b'"
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < b.columns(); ++j) {
      float sum = 0;
      // expect: mem-strided-inner-loop medium "4 * columns_ bytes" "4 bytes"
      for (std::size_t k = 0; k < a.columns(); ++k)
        sum += a(i, k) * b(k, j);
      product(i, j) = sum;
    }
  return product;
}
