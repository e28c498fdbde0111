// Two passes are the halves of complex numbers; a pass that uses most of a record misses little of it.
void halves(double (*z)[2], long n, double factor) {
  for (int part = 0; part < 2; part++)
    for (long i = 0; i < n; i++)
      z[i][part] *= factor;
}

void most(double (*u)[6], long n, double factor) {
  for (int half = 0; half < 2; half++)
    for (long i = 0; i < n; i++) {
      u[i][3 * half] *= factor;
      u[i][3 * half + 1] *= factor;
      u[i][3 * half + 2] *= factor;
    }
}

// A row that the next pass finds in the cache.
void rows(double (*forcing)[102][5], double (*work)[5], int planes, int points) {
  for (int j = 0; j < planes; j++)
    for (int m = 0; m < 5; m++)
      for (int k = 2; k < points - 2; k++)
        forcing[j][k][m] -= work[k - 2][m] - 4.0 * work[k - 1][m] + 6.0 * work[k][m];
}
