// Rows filled up to one bound and read up to another: what the program sets decides.
enum { N = 200 };
static int size[3];
static double u[N][N][N], v[N][N][N], edge[N], row[N];

void resize(int n) { size[0] = size[1] = size[2] = n; }
double element(int i) { return v[i][1][2] + edge[i]; }

void lines(void) {
  for (int i = 1; i <= size[0] - 2; i++)
    edge[i] = 1.0;
  for (int j = 1; j <= size[1] - 2; j++)
    for (int k = 1; k <= size[2] - 2; k++) {
      // expect: mem-strided-inner-loop medium "320000 bytes" "provided that all that is read of them was filled"
      for (int i = 0; i <= size[1] - 1; i++)
        row[i] = u[i][j][k];
      // expect: mem-strided-inner-loop medium "320000 bytes"
      for (int i = 1; i <= size[0] - 2; i++)
        v[i][j][k] = row[i + 1] - row[i - 1];
    }
}
