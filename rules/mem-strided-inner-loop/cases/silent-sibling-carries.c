// The second loop takes what the first one made for the column before: neither can be moved out on its own.
#define N 65

static double flow[N][N][N][5], rest[N][N][N][5], state[N][N][N][5];
extern int first, last, planes, rows, columns;

void sweep(double factor) {
  for (int row = 1; row < rows - 1; row++)
    for (int column = 1; column < columns - 1; column++) {
      for (int plane = first; plane < planes; plane++)
        flow[plane][row][column][3] = factor * rest[plane][row][column - 1][3] + state[plane][row][column][3];
      for (int plane = first; plane <= last; plane++)
        for (int value = 0; value < 5; value++)
          rest[plane][row][column][value] -= flow[plane][row][column][value];
    }
}
