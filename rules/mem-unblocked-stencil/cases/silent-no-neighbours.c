// Large arrays, but every element is used in one iteration only, or one of many arrays has a neighbour.
#define N 600

float a[N][N][N], b[N][N][N], c[N][N][N], d[N][N][N], e[N][N][N], f[N][N][N];

void combine(float w) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        a[i][j][k] = b[i][j][k] + w * c[i][j][k];
}

void gradient(float w) {
  for (int i = 1; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        f[i][j][k] = w * a[i][j][k] * (b[i][j][k] - b[i - 1][j][k]) + c[i][j][k] * d[i][j][k] - e[i][j][k];
}
