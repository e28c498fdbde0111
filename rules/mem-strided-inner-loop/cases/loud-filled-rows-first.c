// Rows that each column fills before it uses them, in a function that goes on with other sweeps over the same bounds.
#define N 163

static int points[3];
static double density[N][N][N], velocity[N][N][N], band[15][N][N][N], sound[N][N][N];
static double viscosity[N], speed[N];

void resize(int size) { points[0] = points[1] = points[2] = size; }

void bands(double c1, double c4, double c5, double c6) {
  int i, j, k;
  for (j = 1; j <= points[1] - 2; j++)
    for (k = 1; k <= points[2] - 2; k++) {
      // expect: mem-strided-inner-loop medium "212552 bytes" "8 bytes"
      for (i = 0; i <= points[0] - 1; i++) {
        speed[i] = velocity[i][j][k];
        viscosity[i] = 1.0 / density[i][j][k];
      }
      // expect: mem-strided-inner-loop medium "212552 bytes" "8 bytes"
      for (i = 1; i <= points[0] - 2; i++) {
        band[1][i][j][k] = -speed[i - 1] - viscosity[i - 1];
        band[2][i][j][k] = 1.0 + viscosity[i];
        band[3][i][j][k] = speed[i + 1] - viscosity[i + 1];
      }
    }
  i = 1;
  for (j = 1; j <= points[1] - 2; j++)
    for (k = 1; k <= points[2] - 2; k++) {
      band[2][i][j][k] += c5;
      band[3][i][j][k] -= c4;
      band[2][i + 1][j][k] += c6;
    }
  for (i = 3; i <= points[0] - 4; i++)
    for (j = 1; j <= points[1] - 2; j++)
      for (k = 1; k <= points[2] - 2; k++) {
        band[1][i][j][k] -= c4;
        band[2][i][j][k] += c6;
        band[3][i][j][k] -= c4;
      }
  i = points[0] - 3;
  for (j = 1; j <= points[1] - 2; j++)
    for (k = 1; k <= points[2] - 2; k++) {
      band[1][i][j][k] += c1;
      band[2][i][j][k] += c5;
    }
  for (i = 1; i <= points[0] - 2; i++)
    for (j = 1; j <= points[1] - 2; j++)
      for (k = 1; k <= points[2] - 2; k++) {
        band[6][i][j][k] = band[1][i][j][k] - c1 * sound[i - 1][j][k];
        band[8][i][j][k] = band[3][i][j][k] + c1 * sound[i + 1][j][k];
      }
}
