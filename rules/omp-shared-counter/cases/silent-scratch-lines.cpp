// flags: -fopenmp
// Lines of each thread's own, elements that the shared loop chooses, iterators of a range, values that all share.
#include <complex>
#include <omp.h>
#include <vector>

class Range {
public:
  class iterator {
  public:
    explicit iterator(int v) : v_(v) {}
    int operator*() const { return v_; }
    iterator &operator++() {
      ++v_;
      return *this;
    }
    bool operator!=(const iterator &o) const { return v_ != o.v_; }

  private:
    int v_;
  };
  Range(int lo, int hi) : lo_(lo), hi_(hi) {}
  iterator begin() const { return iterator(lo_); }
  iterator end() const { return iterator(hi_); }

private:
  int lo_, hi_;
};

double total(int rows, int cols, const double *field) {
  double sum = 0.0;
  const Range range(0, cols);
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < rows; ++i)
    for (int j : range)
      sum += field[static_cast<long>(i) * cols + j];
  return sum;
}

void columns(int rows, int cols, std::vector<double> &field) {
#pragma omp parallel
  {
    std::vector<double> line(rows + 4);
#pragma omp for
    for (int j = 0; j < cols; ++j) {
      // expect: mem-strided-inner-loop medium "inner loop over 'i'"
      for (int i = 0; i < rows; ++i)
        line[i + 2] = field[static_cast<long>(i) * cols + j];
      // expect: mem-strided-inner-loop medium "inner loop over 'i'"
      for (int i = 0; i < rows; ++i)
        field[static_cast<long>(i) * cols + j] = line[i + 1] + line[i + 2];
    }
  }
}

void lines_of_threads(int rows, int cols, double *field, double **lines, double *line) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    double *mine = lines[me];
#pragma omp for
    for (int j = 0; j < cols; ++j) {
      for (int i = 0; i < rows; ++i) {
        mine[i] = field[static_cast<long>(j) * rows + i];
        lines[omp_get_thread_num()][i] += 1.0;
        line[me * rows + i] = field[static_cast<long>(j) * rows + i];
      }
      for (int i = 0; i < rows; ++i)
        field[static_cast<long>(j) * rows + i] = 2.0 * mine[i] + line[me * rows + i];
    }
  }
}

void all_the_same(int rows, int cols, double scale, double *weights, double *field) {
#pragma omp parallel for
  for (int j = 0; j < cols; ++j) {
    for (int i = 0; i < rows; ++i)
      weights[i] = scale * i;
    for (int i = 0; i < rows; ++i)
      field[static_cast<long>(j) * rows + i] *= weights[i];
  }
}

// One iteration alone sets it.
void one_column(int rows, int cols, int chosen, double *column, const double *field) {
#pragma omp parallel for
  for (int j = 0; j < cols; ++j) {
    if (j != chosen)
      continue;
    for (int i = 0; i < rows; ++i)
      column[i] = field[static_cast<long>(j) * rows + i];
  }
}

void last_column(int rows, int cols, double *column, const double *field) {
#pragma omp parallel for
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i)
      if (j == cols - 1)
        column[i] = field[static_cast<long>(j) * rows + i];
}

void spectrum(int n, const std::complex<double> *a, const std::complex<double> *b, std::complex<double> *out) {
  std::complex<double> t;
#pragma omp parallel for private(t)
  for (int i = 0; i < n; ++i) {
    t = a[i] + b[i];
    out[i] = -t;
  }
}
