// The loop that sums up is the outermost: run innermost, every operand is walked along its rows.
#include <stdio.h>

enum { N = 600 };
static double a[N][N], b[N][N], c[N][N], seen[N];

static void product(void) {
  // expect: mem-handwritten-matmul high unsafe-fix
  for (int t = 0; t < N; t++)
    for (int r = 0; r < N; r++)
      // expect: mem-strided-inner-loop high "4800 bytes" "8 bytes" no-fix
      for (int s = 0; s < N; s++)
        b[r][s] += a[r][t] * a[s][t];
}

// What stands between two of the loops would have to be split off.
static void counted(void) {
  // expect: mem-handwritten-matmul high no-fix
  for (int t = 0; t < N; t++) {
    seen[t] += 1.0;
    for (int r = 0; r < N; r++)
      // expect: mem-strided-inner-loop high "4800 bytes" "8 bytes" no-fix
      for (int s = 0; s < N; s++)
        c[r][s] += a[r][t] * a[s][t];
  }
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = (i * 5 + j) % 9;
  product();
  counted();
  printf("%.1f %.1f %.1f\n", b[3][5], c[N - 1][2], seen[7]);
  return 0;
}
