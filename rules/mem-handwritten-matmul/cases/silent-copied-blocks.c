// Blocks of both factors are copied, transposed or not, multiplied where they lie, and added to the result.
static int least(int a, int b) { return a < b ? a : b; }

void multiply(int order, int block, const double *a, const double *b, double *c, double *part_a, double *part_b,
              double *part_c) {
  int x, y, z, i, j, k;
  for (int jj = 0; jj < order; jj += block)
    for (int kk = 0; kk < order; kk += block) {
      for (y = jj, j = 0; y < least(jj + block, order); y++, j++)
        for (z = kk, k = 0; z < least(kk + block, order); z++, k++)
          part_b[j + block * k] = b[z + order * y];
      for (int ii = 0; ii < order; ii += block) {
        for (z = kk, k = 0; z < least(kk + block, order); z++, k++)
          for (x = ii, i = 0; x < least(ii + block, order); x++, i++)
            part_a[i + block * k] = a[x + order * z];
        for (z = kk, k = 0; z < least(kk + block, order); z++, k++)
          for (y = jj, j = 0; y < least(jj + block, order); y++, j++)
            for (x = ii, i = 0; x < least(ii + block, order); x++, i++)
              part_c[i + block * j] += part_a[i + block * k] * part_b[j + block * k];
        for (y = jj, j = 0; y < least(jj + block, order); y++, j++)
          for (x = ii, i = 0; x < least(ii + block, order); x++, i++) {
            c[x + order * y] += part_c[i + block * j];
            part_c[i + block * j] = 0.0;
          }
      }
    }
}
