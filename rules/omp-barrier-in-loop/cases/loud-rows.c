// flags: -fopenmp
// The team shares one line of cells at a time and meets behind it, for each pair of the other two indices.
#define N 100
static double speed[N][N][N], left[5][N][N][N], along[N], across[N];

static void fill(int n) {
  for (int j = 1; j < n - 1; j++)
    for (int k = 1; k < n - 1; k++) {
#pragma omp for
      // expect: mem-strided-inner-loop medium "80000 bytes" "8 bytes"
      for (int i = 0; i < n; i++) {
        along[i] = speed[i][j][k];
        across[i] = 0.5 * speed[i][j][k] + 1.0;
      }
    // expect: omp-barrier-in-loop medium
#pragma omp for
      // expect: mem-strided-inner-loop medium "80000 bytes" "8 bytes"
      for (int i = 1; i < n - 1; i++) {
        left[1][i][j][k] = along[i - 1] - across[i - 1];
        left[2][i][j][k] = across[i];
        left[3][i][j][k] = along[i + 1] - across[i + 1];
      }
    }
}

void step(int n, int steps) {
#pragma omp parallel
  for (int s = 0; s < steps; s++)
    fill(n);
}
