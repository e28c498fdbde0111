// Rows of intermediate values, which each column fills before it uses them: with a dimension more all columns have one.
#define N 66

static double density[N][N][N], velocity[N][N][N], band[5][N][N][N];
static double viscosity[N], speed[N];

void bands(int planes, int rows, int columns) {
  for (int row = 1; row < rows - 1; row++)
    for (int column = 1; column < columns - 1; column++) {
      // expect: mem-strided-inner-loop medium "34848 bytes" "8 bytes"
      for (int plane = 0; plane < planes; plane++) {
        const double inverse = 1.0 / density[plane][row][column];
        speed[plane] = velocity[plane][row][column];
        viscosity[plane] = inverse > 0.5 ? inverse : 0.5;
      }
      // expect: mem-strided-inner-loop medium "34848 bytes" "8 bytes"
      for (int plane = 1; plane < planes - 1; plane++) {
        band[0][plane][row][column] = 0.0;
        band[1][plane][row][column] = -speed[plane - 1] - viscosity[plane - 1];
        band[2][plane][row][column] = 1.0 + viscosity[plane];
        band[3][plane][row][column] = speed[plane + 1] - viscosity[plane + 1];
        band[4][plane][row][column] = 0.0;
      }
    }
}
