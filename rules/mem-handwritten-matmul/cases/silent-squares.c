// Variances of what a linear map makes of independent values: its elements are squared first, which no library does.
void variances(int n, int m, double (*restrict out)[500], double (*restrict map)[500], double (*restrict in)[500]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double sum = 0.0;
      // expect: mem-strided-inner-loop high, build-missed-vectorization low
      for (int k = 0; k < 500; k++)
        sum += map[i][k] * map[i][k] * in[k][j];
      out[i][j] = sum;
    }
}
