// The border of a plane, as deep as the stencil that reads it: some cells, along an edge that is longer by them.
void mirror(double *plane, int pitch, int first, int last, int rows, int depth) {
  for (int column = first - depth; column < last + depth; column++)
    // expect: mem-strided-inner-loop low "8 * pitch bytes" "8 bytes" unsafe-fix
    for (int row = 0; row < depth; row++)
      plane[(rows + row) * pitch + column] = plane[(rows - 1 - row) * pitch + column];
}
