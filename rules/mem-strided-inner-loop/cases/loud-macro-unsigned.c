#define ROWS 900
#define COLUMNS 1100
#define AT(array, row, column) (array)[(row) * COLUMNS + (column)]

void scale(float *out, const float *in, float factor) {
  unsigned row, column;
  for (column = 0; column < COLUMNS; ++column)
    // expect: mem-strided-inner-loop high "4400 bytes" "4 bytes" unsafe-fix
    for (row = 0; row < ROWS; ++row)
      AT(out, row, column) = factor * AT(in, row, column);
}
