// flags: -fopenmp
// The same product in sweeps that are no blocks: a barrier for each single one of them.
#define SIZE 1024
static double a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE];

void multiply(void) {
#pragma omp parallel
  // expect: mem-handwritten-matmul medium "every iteration over 'k' fetches a whole factor again"
  for (int k = 0; k < SIZE; k++) {
    // expect: omp-barrier-in-loop high fix
#pragma omp for schedule(static)
    for (int i = 0; i < SIZE; i++)
      for (int j = 0; j < SIZE; j++)
        c[i][j] += a[i][k] * b[k][j];
  }
}
