// The corner turn of a two-dimensional transform: rows are worked on, the grid is transposed, rows are worked on again.
// run-args: 2
#include <stdio.h>
#include <stdlib.h>

#define ROWS 900
#define COLUMNS 1100

static double grid[ROWS][COLUMNS], turned[COLUMNS][ROWS];

static void turn(void) {
  for (int row = 0; row < ROWS; row++)
    // expect: mem-unblocked-transpose high "turned" "grid"
    for (int column = 0; column < COLUMNS; column++)
      turned[column][row] = grid[row][column];
}

static void turnBack(void) {
  for (int row = 0; row < ROWS; row++)
    // expect: mem-unblocked-transpose high "turned" "grid"
    for (int column = 0; column < COLUMNS; column++)
      grid[row][column] = turned[column][row] + 1.0;
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 20;
  for (int row = 0; row < ROWS; row++)
    for (int column = 0; column < COLUMNS; column++)
      grid[row][column] = row + 0.001 * column;
  for (int round = 0; round < rounds; round++) {
    turn();
    turnBack();
  }
  printf("%.3f %.3f\n", grid[3][5], turned[COLUMNS - 1][ROWS - 1]);
  return 0;
}
