// What main does once, beside the product that the program is for, is set-up; in a loop of steps it is not.
#include <stdlib.h>

enum { N = 1000 };
static float a[N][N], b[N][N], c[N][N];

static void product(void) {
  // expect: mem-handwritten-matmul medium "every iteration over 'i' fetches a whole factor again"
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      for (int j = 0; j < N; j++)
        c[i][j] += a[i][k] * b[k][j];
}

int main(int count, char **names) {
  for (int j = 0; j < N; j++)
    // expect: mem-strided-inner-loop low "4000 bytes" "4 bytes" fix
    for (int i = 0; i < N; i++)
      b[i][j] = (float)(i + j);
  for (int step = 0; step < atoi(names[count - 1]); step++) {
    for (int j = 0; j < N; j++)
      // expect: mem-strided-inner-loop high "4000 bytes" "4 bytes" fix
      for (int i = 0; i < N; i++)
        a[i][j] += c[i][j];
    product();
  }
  return c[3][4] > 0;
}
