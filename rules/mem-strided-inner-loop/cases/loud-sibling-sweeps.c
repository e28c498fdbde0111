// Sweeps along the slowest index, one after the other, through cells of five values: the first one fills what the second
// one differences. Their bounds are known at run time only; the lines of one pair (row, column) never meet another's.
#define N 65

static double state[N][N][N][5], flow[N][N][N][5], rest[N][N][N][5];
extern int first, last, planes, rows, columns;

void sweep(double factor) {
  for (int row = 1; row < rows - 1; row++)
    for (int column = 1; column < columns - 1; column++) {
      // expect: mem-strided-inner-loop medium "169000 bytes" "40 bytes"
      for (int plane = first; plane < planes; plane++) {
        flow[plane][row][column][0] = factor * (state[plane][row][column][0] - state[plane - 1][row][column][0]);
        flow[plane][row][column][3] = factor * (state[plane][row][column][3] - state[plane - 1][row][column][3]);
      }
      // expect: mem-strided-inner-loop medium "169000 bytes" "40 bytes"
      for (int plane = first; plane <= last; plane++)
        for (int value = 0; value < 5; value++)
          rest[plane][row][column][value] -= flow[plane + 1][row][column][value] - flow[plane][row][column][value];
      for (int value = 0; value < 5; value++)
        rest[planes - 3][row][column][value] -= state[planes - 2][row][column][value];
    }
}
