// Loops over tiles: what a tile of 48 by 48 needs is fetched in either order of the tiles.
void add_tiles(unsigned long tiles, unsigned long rows, const float *restrict a, float *restrict c) {
  for (unsigned long y = 0; y < tiles; y++)
    // expect: mem-strided-inner-loop low "192 * rows bytes"
    for (unsigned long k = 0; k < tiles; k++)
      for (unsigned long j = 0; j < 48; j++)
        for (unsigned long i = 0; i < 48; i++)
          c[y * 48 + i + rows * (k * 48 + j)] += a[y * 48 + i + rows * (k * 48 + j)];
}

// Three components of each element are no tile.
void add_components(unsigned long columns, unsigned long rows, const double *restrict a, double *restrict c) {
  for (unsigned long y = 0; y < columns; y++)
    // expect: mem-strided-inner-loop medium "24 * columns bytes"
    for (unsigned long k = 0; k < rows; k++)
      for (unsigned long i = 0; i < 3; i++)
        c[(k * columns + y) * 3 + i] += a[(k * columns + y) * 3 + i];
}
