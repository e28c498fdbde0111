// One array is walked in columns whichever loop is inside: another order cures nothing.
void transpose(double *restrict out, const double *restrict in, int n) {
  for (int i = 0; i < n; i++)
    // expect: mem-unblocked-transpose medium "out"
    for (int j = 0; j < n; j++)
      out[j * n + i] = in[i * n + j];
}
