// flags: -fopenmp
// Rows of a band matrix along the middle index: subscripts stay within the extents that the arrays are declared with,
// so that the five bands are apart.
#define N 66

static double band[5][N][N][N], speed[N][N][N];
static double ratio[N];

void middle(int points) {
  int i, j, k;
  for (i = 1; i <= points - 2; i++)
    for (k = 1; k <= points - 2; k++) {
#pragma omp for
      // expect: mem-strided-inner-loop medium "528 bytes" "8 bytes"
      for (j = 0; j < points; j++)
        ratio[j] = 1.0 / speed[i][j][k];
    // expect: omp-barrier-in-loop medium
#pragma omp for
      // expect: mem-strided-inner-loop medium "528 bytes" "8 bytes"
      for (j = 1; j <= points - 2; j++) {
        band[0][i][j][k] = 0.0;
        band[1][i][j][k] = -ratio[j - 1];
        band[2][i][j][k] = 1.0;
        band[3][i][j][k] = ratio[j + 1];
        band[4][i][j][k] = 0.0;
      }
    }
}

// Here each row needs the one before it: the columns of one row are apart, and the team has to meet behind them.
void front(int points) {
  int i, j, k;
  for (i = 1; i <= points - 2; i++)
    for (k = 1; k <= points - 2; k++) {
    // expect: omp-barrier-in-loop medium "though no two rounds" "put one barrier behind the loop"
#pragma omp for
      // expect: mem-strided-inner-loop high "528 bytes" "8 bytes"
      for (j = 1; j <= points - 2; j++)
        band[0][i][j][k] = 0.5 * band[0][i - 1][j][k] + speed[i][j][k];
    }
}
