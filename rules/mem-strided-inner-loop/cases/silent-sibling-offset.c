// The second loop takes what the first one made some cells before, as many as the caller says: five values of a cell are
// too few to reach over to another one.
#define N 65

static double flow[N * N * N * 5], rest[N * N * N * 5], state[N * N * N * 5];

void sweep(double factor, int planes, int rows, int columns, int back) {
  for (int row = 1; row < rows - 1; row++)
    for (int column = 1; column < columns - 1; column++) {
      for (int plane = 0; plane < planes; plane++)
        for (int value = 0; value < 5; value++)
          flow[((plane * N + row) * N + column) * 5 + value] = factor * state[((plane * N + row) * N + column) * 5 + value];
      for (int plane = 0; plane < planes; plane++)
        for (int value = 0; value < 5; value++)
          rest[((plane * N + row) * N + column) * 5 + value] -= flow[((plane * N + row) * N + column + back) * 5 + value];
    }
}
