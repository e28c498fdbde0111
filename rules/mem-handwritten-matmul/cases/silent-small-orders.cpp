template <int N> struct Square {
  double at[N][N];
  Square operator*(const Square &other) const {
    Square product{};
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        for (int k = 0; k < N; ++k)
          product.at[i][j] += at[i][k] * other.at[k][j];
    return product;
  }
};

Square<4> twice(const Square<4> &s) { return s * s; }

// Blocks of a system of equations: five unknowns per cell, many cells.
void update_blocks(int cells, const double (*a)[5][5], const double (*b)[5][5], double (*c)[5][5]) {
  for (int cell = 0; cell < cells; ++cell)
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j)
        for (int k = 0; k < 5; ++k)
          c[cell][i][j] -= a[cell][i][k] * b[cell][k][j];
}

static void multiply(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0.0;
      for (int k = 0; k < n; ++k)
        sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

void turn(const double *a, const double *b, double *c) { multiply(3, a, b, c); }
