// Elimination by rows of a matrix that is stored by columns: what is kept of each row is of another column than what the
// inner loop updates, and the pivot's row is above all rows that are updated.
#define A(i, j) a[(i) + (long)(j)*ld]

void eliminate(double *a, int ld, int n) {
  for (int k = 0; k < n; k++) {
    const double inverse = 1.0 / A(k, k);
    for (int i = k + 1; i < n; i++) {
      const double factor = A(i, k) * inverse;
      // expect: mem-strided-inner-loop medium "make 'i' (line 8) the innermost loop" "split off the other statements"
      for (int j = k + 1; j < n; j++)
        A(i, j) -= factor * A(k, j);
      A(i, k) = factor;
    }
  }
}

// The pivot is above the rows, too, where each of them asks for it.
void eliminate_each(double *a, int ld, int n) {
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      const double factor = A(i, k) / A(k, k);
      // expect: mem-strided-inner-loop medium "make 'i' (line 21) the innermost loop" "split off the other statements"
      for (int j = k + 1; j < n; j++)
        A(i, j) -= factor * A(k, j);
      A(i, k) = factor;
    }
}
