// The diagonal block of a triangular system that is solved block by block: it fits a cache.
#define L(i, j) l[(i) + (long)(j) * ld]

void solve(const double *l, long ld, double *x, int n, int block) {
  for (int k = 0; k < n; k += block) {
    const int length = block < n - k ? block : n - k;
    for (int i = 0; i < length; i++) {
      // expect: mem-strided-inner-loop low "8 * ld bytes" "8 bytes"
      for (int j = 0; j < i; j++)
        x[k + i] -= L(k + i, k + j) * x[k + j];
      x[k + i] /= L(k + i, k + i);
    }
    for (int j = 0; j < length; j++)
      for (int i = k + length; i < n; i++)
        x[i] -= L(i, k + j) * x[k + j];
  }
}

// From the last block back to the first one.
void solve_back(const double *l, long ld, double *x, int n, int block) {
  for (int k = (n - 1) / block * block; k >= 0; k -= block) {
    const int length = block < n - k ? block : n - k;
    for (int i = length - 1; i >= 0; i--) {
      // expect: mem-strided-inner-loop low "8 * ld bytes" "8 bytes"
      for (int j = i + 1; j < length; j++)
        x[k + i] -= L(k + i, k + j) * x[k + j];
      x[k + i] /= L(k + i, k + i);
    }
  }
}

// All of the block.
void sums_of_block(const double *l, long ld, double *x, int n, int block) {
  for (int k = 0; k < n; k += block) {
    const int length = block < n - k ? block : n - k;
    for (int i = 0; i < length; i++)
      // expect: mem-strided-inner-loop low "8 * ld bytes" "8 bytes"
      for (int j = 0; j < length; j++)
        x[k + i] += L(k + i, k + j);
  }
}

// A block that is larger than a cache.
void sums_of_large_block(const double *l, long ld, double *x, int n, int k) {
  const int length = 4096 < n - k ? 4096 : n - k;
  for (int i = 0; i < length; i++)
    // expect: mem-strided-inner-loop medium "8 * ld bytes" "8 bytes"
    for (int j = 0; j < length; j++)
      x[k + i] += L(k + i, k + j);
}

// Of whole columns the block is a few, and each is longer than a cache.
void sums(const double *l, long ld, double *x, int n, int block) {
  for (int k = 0; k < n; k += block) {
    const int length = block < n - k ? block : n - k;
    for (int i = 0; i < n; i++)
      // expect: mem-strided-inner-loop medium "8 * ld bytes" "8 bytes"
      for (int j = 0; j < length; j++)
        x[i] += L(i, k + j);
  }
}

// The lesser of two sides is no block.
void square(const double *l, long ld, double *x, int rows, int columns) {
  const int side = rows < columns ? rows : columns;
  for (int i = 0; i < side; i++)
    // expect: mem-strided-inner-loop medium "8 * ld bytes" "8 bytes"
    for (int j = 0; j < side; j++)
      x[i] += L(i, j);
}
