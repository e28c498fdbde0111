// flags: -fopenmp
// Blocks of a matrix product: each barrier is paid once for a block's work.
#define SIZE 1024
#define TILE 64
static double a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE];

void multiply(void) {
#pragma omp parallel
  for (int kk = 0; kk < SIZE; kk += TILE) {
#pragma omp for schedule(static)
    for (int i = 0; i < SIZE; i++)
      for (int k = kk; k < kk + TILE; k++)
        for (int j = 0; j < SIZE; j++)
          c[i][j] += a[i][k] * b[k][j];
  }
}
