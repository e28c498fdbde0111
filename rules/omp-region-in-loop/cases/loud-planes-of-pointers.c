// flags: -fopenmp
// Levels of an array made of pointers to pointers to rows: a team for each of them.
void viscosity(double ***a, double ***u, double **dx, int levels, int rows, int columns) {
  for (int k = 0; k < levels - 1; k++)
    // expect: omp-region-in-loop medium "loop at line 4" "one plane of the data"
#pragma omp parallel for
    for (int j = 1; j < rows - 1; j++)
      for (int i = 1; i < columns - 1; i++)
        a[k][j][i] = 0.5 * (u[k][j][i + 1] - u[k][j][i]) / dx[j][i];
}

// Whose first and last levels the caller says: a border, perhaps.
void border(double ***a, double ***u, int first, int last, int rows, int columns) {
  for (int k = first; k < last; k++)
#pragma omp parallel for
    for (int j = 0; j < rows; j++)
      for (int i = 0; i < columns; i++)
        a[k][j][i] = u[k][j][i];
}

// One level again and again.
void smooth(double ***a, int level, int rounds, int rows, int columns) {
  for (int r = 0; r < rounds; r++)
#pragma omp parallel for
    for (int j = 0; j < rows; j++)
      for (int i = 1; i < columns; i++)
        a[level][j][i] = 0.5 * (a[level][j][i] + a[level][j][i - 1]);
}
