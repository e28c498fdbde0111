// A graph of as many vertices as a power of two, and matrices whose rows are rounded up to one.
#pragma once
#include <cstddef>
#include <vector>

struct graph {
  std::size_t vertices = 0;
  std::vector<float> hops;
};

inline long rounded(long n) {
  long power = 1;
  while (power < n)
    power *= 2;
  return power;
}

class matrix {
public:
  // expect: mem-power-of-two-stride medium "'matrix::matrix' makes the rows of a matrix a power of two long"
  matrix(long rows, long columns) : pitch(rounded(columns)), values(rows * pitch) {}
  double *first() { return values.data(); }
  long distance() const { return pitch; }

private:
  long pitch;
  std::vector<double> values;
};

graph make(int scale, int landmarks);
double bounds(const graph &of, int landmarks);
void filter(matrix &of, const double *weight, long rows, long columns);
void smooth(const double *weight, long rows, long columns);
