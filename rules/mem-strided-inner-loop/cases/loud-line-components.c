// A line of fluxes whose components are written one by one and read in a loop; where it is read, the caller says.
#define N 64

static double u[N][N][N][5], r[N][N][N][5];

void sweep(int n, int first, int last) {
  double flux[N][5];
  for (int k = 1; k < n - 1; k++)
    for (int i = 1; i < n - 1; i++) {
      // expect: mem-strided-inner-loop medium "2560 bytes" "provided that all that is read of them was filled"
      for (int j = 0; j < n; j++) {
        const double speed = u[k][j][i][2] / u[k][j][i][0];
        flux[j][0] = u[k][j][i][2];
        flux[j][1] = u[k][j][i][1] * speed;
        flux[j][2] = u[k][j][i][2] * speed;
      }
      // expect: mem-strided-inner-loop medium "2560 bytes" "40 bytes"
      for (int j = first; j < last; j++)
        for (int m = 0; m < 3; m++)
          r[k][j][i][m] -= flux[j + 1][m] - flux[j - 1][m];
    }
}

// A component that nothing fills here is what the column before has left.
void kept(int n) {
  static double flux[N][5];
  for (int k = 1; k < n - 1; k++)
    for (int i = 1; i < n - 1; i++) {
      for (int j = 0; j < n; j++) {
        flux[j][0] = u[k][j][i][2];
        flux[j][1] = u[k][j][i][1];
      }
      for (int j = 1; j < n - 1; j++)
        for (int m = 0; m < 3; m++)
          r[k][j][i][m] -= flux[j + 1][m] - flux[j - 1][m];
      flux[0][2] = flux[1][2];
    }
}
