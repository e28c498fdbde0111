// The same with rows that keep something from one column to the next: not all that is read was filled.
#define N 66

static double density[N][N][N], velocity[N][N][N], band[5][N][N][N];
static double viscosity[N], speed[N];

void bands(int planes, int rows, int columns) {
  for (int row = 1; row < rows - 1; row++)
    for (int column = 1; column < columns - 1; column++) {
      for (int plane = 1; plane < planes - 1; plane++) {
        const double inverse = 1.0 / density[plane][row][column];
        speed[plane] = velocity[plane][row][column];
        viscosity[plane] = inverse > 0.5 ? inverse : 0.5;
      }
      for (int plane = 1; plane < planes - 1; plane++) {
        band[0][plane][row][column] = 0.0;
        band[1][plane][row][column] = -speed[plane - 1] - viscosity[plane - 1];
        band[2][plane][row][column] = 1.0 + viscosity[plane];
        band[3][plane][row][column] = speed[plane + 1] - viscosity[plane + 1];
        band[4][plane][row][column] = 0.0;
      }
      viscosity[0] = viscosity[planes - 2];
      speed[planes - 1] = speed[1];
    }
}

// A sum over the columns.
void totals(double *total, int planes, int columns) {
  for (int column = 0; column < columns; column++) {
    for (int plane = 0; plane < planes; plane++)
      speed[plane] = 0.5 * speed[plane] + velocity[plane][0][column];
    for (int plane = 0; plane < planes; plane++)
      band[0][plane][1][column] = speed[plane];
  }
  total[0] = speed[0];
}

// Where data say so only: a loop that always runs fills the row in some columns.
void some(const double *chosen, double *out, double *row, int n, int columns) {
  for (int column = 0; column < columns; column++) {
    if (chosen[column] > 0.0)
      for (int i = 0; i < 100; i++)
        row[i] = out[(long)i * columns + column];
    for (int i = 0; i < 100; i++)
      out[(long)i * columns + column] = 0.5 * row[i];
  }
}
