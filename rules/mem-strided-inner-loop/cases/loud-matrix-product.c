#define SIZE 700

double a[SIZE][SIZE];
double b[SIZE][SIZE];
double c[SIZE][SIZE];

void multiply(void) {
  // expect: mem-handwritten-matmul high "the inner loop over 'k' steps 5600 bytes through 'b'" unsafe-fix
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++)
      // expect: mem-strided-inner-loop high "5600 bytes" "8 bytes" fix
      for (int k = 0; k < SIZE; k++)
        c[i][j] += a[i][k] * b[k][j];
}
