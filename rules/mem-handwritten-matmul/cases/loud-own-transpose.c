// Covariance of columns that are centred already: a matrix times its own transpose, one triangle of it.
void covariance(int samples, int variables, double (*data)[variables], double (*result)[variables]) {
  // expect: mem-handwritten-matmul high unsafe-fix
  for (int i = 0; i < variables; i++)
    for (int j = i; j < variables; j++) {
      result[i][j] = 0.0;
      // expect: mem-strided-inner-loop medium "8 * variables bytes" "8 bytes" unsafe-fix
      for (int k = 0; k < samples; k++)
        result[i][j] += data[k][i] * data[k][j];
      result[i][j] /= samples - 1;
      result[j][i] = result[i][j];
    }
}
