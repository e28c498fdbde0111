// Rows that fall into all sets, and an array of which nobody says how large it is.
#define LARGEST 256
static double lu[LARGEST][LARGEST + 8];

void factor(int n) {
  for (int k = 0; k < n; k++)
    for (int j = k + 1; j < n; j++)
      // expect: mem-strided-inner-loop
      for (int i = k + 1; i < n; i++)
        lu[i][j] -= lu[i][k] * lu[k][j];
}

void apply(double (*a)[LARGEST], int n) {
  for (int j = 0; j < n; j++)
    // expect: mem-strided-inner-loop
    for (int i = 0; i < n; i++)
      a[i][j] *= 0.5;
}
