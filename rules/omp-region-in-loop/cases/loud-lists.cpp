// flags: -fopenmp
// Lists of lists: the levels of a substitution, each computed from those before, and the neighbours of each vertex.
#include <vector>

struct Matrix {
  std::vector<int> begin, diagonal, column;
  std::vector<double> value;
};

void forward(const Matrix &m, const std::vector<std::vector<int>> &levels, std::vector<double> &x) {
  for (const auto &level : levels) {
    const int count = static_cast<int>(level.size());
    // expect: omp-region-in-loop medium "loop at line 11" "as a table says" "open the region once"
#pragma omp parallel for
    for (int q = 0; q < count; ++q) {
      const int row = level[q];
      double sum = x[row];
      for (int k = m.begin[row]; k < m.diagonal[row]; ++k)
        sum -= m.value[k] * x[m.column[k]];
      x[row] = sum;
    }
  }
}

long marked(const std::vector<std::vector<int>> &neighbours, const std::vector<char> &mark) {
  long all = 0;
  for (int v = 0; v < static_cast<int>(neighbours.size()); ++v) {
    const std::vector<int> &list = neighbours[v];
    const int count = static_cast<int>(list.size());
    long sum = 0;
    // expect: omp-region-in-loop medium "loop at line 27" "as a table says"
#pragma omp parallel for reduction(+ : sum)
    for (int k = 0; k < count; ++k)
      sum += mark[list[k]];
    all += sum * sum;
  }
  return all;
}
