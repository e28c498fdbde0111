// flags: -fopenmp
// The shared loop is the inner one: flat arrays, operator(), vector of vectors, planes of a volume.
#include <cstddef>
#include <vector>

class Grid {
public:
  Grid(int h, int w) : height(h), width(w), cells(static_cast<std::size_t>(h) * w) {}
  double &operator()(int y, int x) { return cells[static_cast<std::size_t>(y) * width + x]; }
  int height, width;

private:
  std::vector<double> cells;
};

void smooth(Grid &a, Grid &b) {
  for (int y = 1; y < a.height - 1; ++y) {
    // expect: omp-region-in-loop medium "one row of the data"
#pragma omp parallel for
    for (int x = 1; x < a.width - 1; ++x)
      b(y, x) = 0.5 * (a(y, x - 1) + a(y, x + 1));
  }
}

void scale(double *m, long rows, long columns, const double *by) {
  for (long i = 0; i < rows; ++i) {
    // expect: omp-region-in-loop medium "one row of the data"
#pragma omp parallel for simd
    for (long j = 0; j < columns; ++j)
      m[i * columns + j] *= by[i];
  }
}

void diffuse(float *u, const float *v, int nz, int ny, int nx) {
  for (int z = 0; z < nz; ++z) {
    // expect: omp-region-in-loop medium "one plane of the data"
#pragma omp parallel for schedule(static)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        u[(z * ny + y) * nx + x] += 0.1f * v[(z * ny + y) * nx + x];
  }
}
