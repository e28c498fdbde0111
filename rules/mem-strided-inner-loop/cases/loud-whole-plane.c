// All rows of a plane, one column after the other: nothing says that there are few.
void scale(double *plane, int pitch, int first, int last, int rows, int depth) {
  for (int column = first - depth; column < last + depth; column++)
    // expect: mem-strided-inner-loop medium "8 * pitch bytes" "8 bytes" unsafe-fix
    for (int row = 0; row < rows; row++)
      plane[(rows + row) * pitch + column] = 0.5 * plane[(rows - 1 - row) * pitch + column];
}
