// A declared array, of which the run uses as many rows as it needs: a factorisation down the columns.
#define LARGEST 256
static double lu[LARGEST][LARGEST];

void factor(int n) {
  for (int k = 0; k < n; k++)
    for (int j = k + 1; j < n; j++)
      // expect: mem-power-of-two-stride medium "the up to 256 lines of 'lu'" "264 elements instead of 256"
      // expect: mem-strided-inner-loop
      for (int i = k + 1; i < n; i++)
        lu[i][j] -= lu[i][k] * lu[k][j];
}

// 64 of these rows stay in the second level.
#define SMALL 128
static double small[64][SMALL];

void scale(int n) {
  for (int k = 0; k < n; k++)
    for (int j = k + 1; j < n; j++)
      // expect: mem-power-of-two-stride low "the up to 64 lines of 'small'"
      // expect: mem-strided-inner-loop
      for (int i = k + 1; i < n; i++)
        small[i][j] -= small[i][k] * small[k][j];
}
