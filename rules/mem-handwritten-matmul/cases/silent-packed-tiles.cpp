// Tiles that are copied next to each other before they are multiplied, by a block size known only at run time.
#include <algorithm>
#include <vector>

void multiply(int n, int tile, const double *a, const double *b, double *c) {
  std::vector<double> packed(static_cast<std::size_t>(tile) * tile);
  for (int kk = 0; kk < n; kk += tile)
    for (int jj = 0; jj < n; jj += tile) {
      const int inner = std::min(tile, n - kk), columns = std::min(tile, n - jj);
      for (int j = 0; j < columns; j++)
        for (int k = 0; k < inner; k++)
          packed[j * tile + k] = b[(kk + k) * n + jj + j];
      for (int i = 0; i < n; i++)
        for (int j = 0; j < columns; j++) {
          double sum = 0.0;
          for (int k = 0; k < inner; k++)
            sum += a[i * n + kk + k] * packed[j * tile + k];
          c[i * n + jj + j] += sum;
        }
    }
}
