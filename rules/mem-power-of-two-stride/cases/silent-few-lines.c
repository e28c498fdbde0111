// Five rows of a stencil, eight rows of a table, small matrices: no more lines in a set than it has ways.
#define N 1024

double in[N][N], out[N][N];

void smooth(void) {
  for (int i = 2; i < N - 2; i++)
    for (int j = 2; j < N - 2; j++)
      out[i][j] = 0.125 * (in[i - 2][j] + in[i - 1][j] + in[i + 1][j] + in[i + 2][j]) +
                  0.125 * (in[i][j - 2] + in[i][j - 1] + in[i][j + 1] + in[i][j + 2]);
}

void turn_small(double (*restrict to)[32], double (*restrict from)[32]) {
  for (int i = 0; i < 32; i++)
    for (int j = 0; j < 32; j++)
      to[j][i] = from[i][j];
}

double column(int j) {
  double sum = 0.0;
  for (int i = 0; i < N; i++)
    sum += in[i][j];
  return sum;
}
