// Whether some element is out of bounds does not depend on the order in which they are looked at.
int too_fast(const double *u, const double *v, int rows, int columns, double limit) {
  int i, j;
  for (j = 0; j < columns; j++)
    // expect: mem-strided-inner-loop medium "8 * columns bytes" no-fix
    for (i = 0; i < rows; i++)
      if (u[i * columns + j] * u[i * columns + j] + v[i * columns + j] * v[i * columns + j] > limit)
        return 1;
  return 0;
}
