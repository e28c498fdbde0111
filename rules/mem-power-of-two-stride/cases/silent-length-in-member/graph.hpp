// As many vertices as the input says, rows as long as asked for, and a power of two that is no length of rows.
#pragma once
#include <cstddef>
#include <vector>

struct graph {
  std::size_t vertices = 0, buckets = 0;
  std::vector<float> hops;
};

class matrix {
public:
  matrix(long rows, long columns) : pitch(columns), values(rows * pitch) {}
  double *first() { return values.data(); }
  long distance() const { return pitch; }

private:
  long pitch;
  std::vector<double> values;
};

struct planes {
  std::size_t length = 0;
  std::vector<float> values;
};

struct tile {
  std::size_t width = 0;
  std::vector<float> values;
};

graph make(int scale, std::size_t vertices, int landmarks);
planes components(int scale);
double bounds(const graph &of, int landmarks);
double lengths(const planes &of);
void filter(matrix &of, const double *weight, long rows, long columns);
void smooth(const double *weight, long rows, long columns);
tile narrow(int scale);
double down(const tile &of, int rows);
