// The shift of distribution functions, one sweep for each direction: of each cell's record a sweep needs one number.
#include <vector>

class Cells {
public:
  enum { Q = 19 };
  double &at(int x, int y, int z, int q) { return now[(((std::size_t)z * sy + y) * sx + x) * Q + q]; }
  double &next(int x, int y, int z, int q) { return then[(((std::size_t)z * sy + y) * sx + x) * Q + q]; }
  void stream();

private:
  int nx, ny, nz, sx, sy;
  std::vector<double> now, then;
  static const int step[Q][3];
};

void Cells::stream() {
  for (int q = 0; q < Q; ++q)
    for (int z = 1; z <= nz; ++z)
      for (int y = 1; y <= ny; ++y)
        // expect: mem-strided-inner-loop medium "152 bytes" "over 'q' the step is 8 bytes" "make 'q' (line 18) the innermost loop"
        for (int x = 1; x <= nx; ++x)
          next(x, y, z, q) = at(x - step[q][0], y - step[q][1], z - step[q][2], q);
  now.swap(then);
}
