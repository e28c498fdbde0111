// Response of a linear model: a product of two matrices behind operator(), in a function template.
#include <array>
#include <cstdio>
#include <vector>

template <typename T> class Matrix {
public:
  Matrix(int rows, int columns)
      : rows_(rows), columns_(columns), values_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {}
  T &operator()(int i, int j) { return values_[at(i, j)]; }
  T operator()(int i, int j) const { return values_[at(i, j)]; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }

private:
  std::size_t at(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(j);
  }
  int rows_, columns_;
  std::vector<T> values_;
};

template <typename T> Matrix<T> operator*(const Matrix<T> &a, const Matrix<T> &b) {
  Matrix<T> c(a.rows(), b.columns());
  // expect: mem-handwritten-matmul high "the inner loop over 'k' steps 3200 bytes through 'b'" " of 'a' and 'b'"
  for (int i = 0; i < a.rows(); i++)
    for (int j = 0; j < b.columns(); j++) {
      T sum = 0;
      // expect: mem-strided-inner-loop high "3200 bytes" "8 bytes"
      for (int k = 0; k < a.columns(); k++)
        sum += a(i, k) * b(k, j);
      c(i, j) = sum;
    }
  return c;
}

// Every point by the same small rotation: too short to be worth a call.
template <typename T> void rotate(std::vector<std::array<T, 3>> &points, const std::array<std::array<T, 3>, 3> &by) {
  for (auto &p : points) {
    std::array<T, 3> turned{};
    for (std::size_t row = 0; row < 3; row++)
      for (std::size_t column = 0; column < 3; column++)
        turned[row] += by[row][column] * p[column];
    p = turned;
  }
}

// Every element by its own weight: three loops, and no product.
static double weigh(const std::vector<Matrix<double>> &all, const Matrix<double> &weights) {
  double sum = 0.0;
  for (const Matrix<double> &m : all)
    for (int i = 0; i < m.rows(); i++)
      for (int j = 0; j < m.columns(); j++)
        sum += m(i, j) * weights(i, j);
  return sum;
}

int main() {
  Matrix<double> model(400, 500), samples(500, 400);
  for (int i = 0; i < 400; i++)
    for (int k = 0; k < 500; k++)
      model(i, k) = (i + k) % 17;
  for (int k = 0; k < 500; k++)
    for (int j = 0; j < 400; j++)
      samples(k, j) = (k * 3 + j) % 13;
  const Matrix<double> response = model * samples;
  const std::vector<Matrix<double>> both(2, response);
  std::vector<std::array<double, 3>> points(100, {1.0, 2.0, 3.0});
  rotate(points, {{{0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}});
  std::printf("%.1f %.1f %.1f\n", response(3, 5), points[9][0], weigh(both, response));
}
