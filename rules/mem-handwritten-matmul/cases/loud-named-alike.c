// A kernel that is named after a routine of BLAS, and takes none of its arguments: nothing can be linked in its place.
void plain_dgemm(int order, const double *a, const double *b, double *c) {
  // expect: mem-handwritten-matmul high "matrix product of 'a' and 'b' in three plain loops"
  for (int i = 0; i < order; i++)
    for (int j = 0; j < order; j++)
      // expect: mem-strided-inner-loop medium "inner loop over 'k' steps 8 * order bytes"
      for (int k = 0; k < order; k++)
        c[i * order + j] += a[i * order + k] * b[k * order + j];
}
