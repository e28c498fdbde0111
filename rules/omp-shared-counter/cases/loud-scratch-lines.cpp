// flags: -fopenmp
// Lines of scratch, complex numbers and records that all threads set: members and locals around the region.
#include <complex>
#include <vector>

struct Cell {
  double mass, speed;
};

class Sweep {
public:
  void columns(int rows, int cols, std::vector<double> &field);
  void rows(int rows, int cols, double *field);

private:
  struct State {
    double q[4];
  };
  std::vector<State> line_;
  double row_[1024];
};

void Sweep::columns(int rows, int cols, std::vector<double> &field) {
#pragma omp parallel for
  for (int j = 0; j < cols; ++j) {
    // expect: mem-strided-inner-loop medium "inner loop over 'i'"
    for (int i = 0; i < rows; ++i)
      for (int v = 0; v < 4; ++v)
        // expect: omp-shared-counter high "set the same elements of 'line_'" "elements of its own"
        line_[i + 2].q[v] = field[(i * cols + j) * 4 + v];
    // expect: mem-strided-inner-loop medium "inner loop over 'i'"
    for (int i = 0; i < rows; ++i)
      for (int v = 0; v < 4; ++v)
        field[(i * cols + j) * 4 + v] = line_[i + 1].q[v] + line_[i + 2].q[v];
  }
}

void Sweep::rows(int rows, int cols, double *field) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < rows; ++i) {
      double *mine = field + static_cast<long>(i) * cols;
      for (int j = 0; j < cols; ++j)
        // expect: omp-shared-counter high "set the same elements of 'row_'"
        row_[j] = 2.0 * i + mine[j];
      for (int j = 1; j < cols; ++j)
        mine[j] = row_[j] - row_[j - 1];
    }
  }
}

void spectrum(int n, const std::complex<double> *a, const std::complex<double> *b, std::complex<double> *out) {
  std::complex<double> t;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    // expect: omp-shared-counter high "set the same 't'" "private(t)"
    t = a[i] + b[i];
    out[i] = -t;
  }
}

double masses(int n, const Cell *cells, double *out) {
  Cell c;
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    // expect: omp-shared-counter high "set the same 'c'"
    c = cells[i];
    out[i] = c.speed;
    sum += out[i];
  }
  return sum;
}
