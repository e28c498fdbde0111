// C = alpha A B + beta C over tables of rows, the sum in a scalar.
void scaled_product(unsigned rows, unsigned columns, unsigned inner, float alpha, float **a, float **b, float beta,
                    float **c) {
  // expect: mem-handwritten-matmul high "the inner loop over 'k' steps a whole row through 'b'" " of 'a' and 'b'"
  for (unsigned i = 0; i < rows; ++i) {
    for (unsigned j = 0; j < columns; ++j) {
      float sum = 0.0f;
      // expect: mem-strided-inner-loop medium "from row to row" "4 bytes"
      for (unsigned k = 0; k < inner; ++k)
        sum += a[i][k] * b[k][j];
      c[i][j] = alpha * sum + beta * c[i][j];
    }
  }
}
