// flags: -fopenmp
// The columns run in the lanes of the vector registers, as the directive says: each step reads neighbours.
void smooth(double *plane, int pitch, int columns, int rows) {
#pragma omp parallel for simd
  for (int column = 0; column < columns; column++)
    // expect: mem-strided-inner-loop low "8 * pitch bytes" "8 bytes"
    for (int row = 1; row < rows; row++)
      plane[row * pitch + column] = 0.5 * plane[row * pitch + column];
}
