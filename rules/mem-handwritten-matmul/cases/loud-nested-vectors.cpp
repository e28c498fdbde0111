#include <cstddef>
#include <vector>

using Table = std::vector<std::vector<double>>;

Table multiply(const Table &a, const Table &b) {
  Table c(a.size(), std::vector<double>(b[0].size()));
  // expect: mem-handwritten-matmul high "the inner loop over 'k' steps a whole row through 'b'" " of 'a' and 'b'"
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b[0].size(); ++j)
      // expect: mem-strided-inner-loop medium "from row to row" "8 bytes"
      for (std::size_t k = 0; k < b.size(); ++k)
        c[i][j] += a[i][k] * b[k][j];
  return c;
}
