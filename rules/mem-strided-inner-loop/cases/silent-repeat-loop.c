// One column, worked on again and again: the outer loop moves no address.
void damp(double *matrix, int rows, int columns, int column, int repeats) {
  for (int r = 0; r < repeats; r++)
    for (int i = 0; i < rows; i++)
      matrix[i * columns + column] *= 0.99;
}
