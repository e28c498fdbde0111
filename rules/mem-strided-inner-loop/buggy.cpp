// A field behind operator() whose fast index is the second one, swept with the first one innermost; and columns of a
// vector of rows.
#include <cstdio>
#include <cstdlib>
#include <vector>

template <typename T> class Field {
public:
  Field(int nx, int ny) : nx_(nx), ny_(ny), cells_(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny)) {}
  T &operator()(int x, int y) { return cells_[index(x, y)]; }
  const T &operator()(int x, int y) const { return cells_[index(x, y)]; }
  int nx() const { return nx_; }
  int ny() const { return ny_; }

  // In the order of memory.
  template <typename Value> void fill(Value value) {
    for (int x = 0; x < nx_; x++)
      for (int y = 0; y < ny_; y++)
        (*this)(x, y) = value(x, y);
  }

private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(ny_) + static_cast<std::size_t>(y);
  }
  int nx_, ny_;
  std::vector<T> cells_;
};

template <typename T> void smooth(Field<T> &out, const Field<T> &in) {
  auto average = [&in](int x, int y) { return T(0.25) * (in(x - 1, y) + in(x + 1, y) + in(x, y - 1) + in(x, y + 1)); };
  for (int y = 1; y < in.ny() - 1; y++)
    // expect: mem-strided-inner-loop medium "a whole row" "4 bytes"
    for (int x = 1; x < in.nx() - 1; x++)
      out(x, y) = average(x, y);
}

static std::vector<double> columnSums(const std::vector<std::vector<double>> &rows) {
  std::vector<double> sums(rows.front().size());
  for (std::size_t column = 0; column < sums.size(); column++)
    // expect: mem-strided-inner-loop medium "from row to row" "8 bytes"
    for (std::size_t row = 0; row < rows.size(); row++)
      sums[column] += rows[row][column];
  return sums;
}

// Whatever the order, one of the two fields is walked across.
static void transpose(Field<double> &out, const Field<double> &in) {
  for (int x = 0; x < in.nx(); x++)
    // expect: mem-unblocked-transpose medium "out"
    for (int y = 0; y < in.ny(); y++)
      out(y, x) = in(x, y);
}

int main(int argc, char **argv) {
  const int nx = argc > 1 ? std::atoi(argv[1]) : 1200, ny = argc > 2 ? std::atoi(argv[2]) : 1000;
  Field<double> in(nx, ny), out(nx, ny), turned(ny, nx);
  Field<float> coarse(nx, ny), smoothed(nx, ny);
  in.fill([](int x, int y) { return (x * 7 + y * 3) % 16; });
  coarse.fill([](int x, int y) { return static_cast<float>((x + y) % 16); });
  smooth(out, in);
  smooth(smoothed, coarse);
  transpose(turned, out);
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(nx),
                                        std::vector<double>(static_cast<std::size_t>(ny)));
  for (int x = 0; x < nx; x++)
    for (int y = 0; y < ny; y++)
      rows[static_cast<std::size_t>(x)][static_cast<std::size_t>(y)] = x % 5 + y % 3;
  std::printf("%.4f %.4f %.1f\n", turned(5, 7), static_cast<double>(smoothed(4, 9)), columnSums(rows)[8]);
}
