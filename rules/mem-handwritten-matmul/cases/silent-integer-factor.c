// A factor that is cut to an integer on its way: no library's product does that.
enum { N = 600 };

void product(float c[N][N], const float a[N][N], const float b[N][N]) {
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) {
      int factor = a[i][k];
      for (int j = 0; j < N; j++)
        c[i][j] += factor * b[k][j];
    }
}
