// Turns an image behind a view of known shape: the columns of the result are written, in rows of 1024 elements.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

// A view of rows that lie `Pitch` elements apart.
template <typename T, int Rows, int Columns, int Pitch = Columns> class View {
public:
  explicit View(T *data) : data_(data) {}
  T &operator()(int row, int column) const { return data_[row * Pitch + column]; }
  static constexpr int size() { return Rows * Pitch; }
  static constexpr int rows() { return Rows; }
  static constexpr int columns() { return Columns; }

private:
  T *data_;
};

using Image = View<double, 1024, 1024>;
using Strip = View<double, 8, 1024>;

template <typename Picture> void turn(Picture turned, Picture picture) {
  for (int y = 0; y < Picture::rows(); y++)
    // expect: mem-power-of-two-stride high, mem-unblocked-transpose high "its array" "picture"
    for (int x = 0; x < Picture::columns(); x++)
      turned(x, Picture::rows() - 1 - y) = picture(y, x);
}

// Row by row, in the order of memory.
template <typename Picture> void copy(Picture to, Picture from) {
  for (int y = 0; y < Picture::rows(); y++)
    for (int x = 0; x < Picture::columns(); x++)
      to(y, x) = from(y, x);
}

// The eight lines of a column find room in one set.
static double profile(Strip strip) {
  double sum = 0.0;
  for (int x = 0; x < Strip::columns(); x++)
    for (int y = 0; y < Strip::rows(); y++)
      sum += (y + 1) * strip(y, x);
  return sum;
}

int main(int argc, char **argv) {
  const int times = argc > 1 ? std::atoi(argv[1]) : 2;
  auto first = std::make_unique<double[]>(Image::size()), second = std::make_unique<double[]>(Image::size());
  Image picture(first.get()), turned(second.get());
  for (int y = 0; y < Image::rows(); y++)
    for (int x = 0; x < Image::columns(); x++)
      picture(y, x) = (x * 3 + y * 5) % 11;
  for (int t = 0; t < times; t++) {
    turn(turned, picture);
    copy(picture, turned);
  }
  std::printf("%.1f %.1f\n", picture(3, 4), profile(Strip(first.get())));
}
