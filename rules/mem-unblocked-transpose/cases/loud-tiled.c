// fixes: mem-unblocked-transpose
// Tiles of any length: the last ones are cut off where the loops end. Steps of more than one and names that are taken
// stay.
#include <stdio.h>
#include <stdlib.h>

#define ROWS 601
#define COLUMNS 1003

static double grid[ROWS][COLUMNS], turned[COLUMNS][ROWS];

static void turn(void) {
  for (int row = 0; row < ROWS; row++)
    // expect: mem-unblocked-transpose high "turned" fix
    for (int column = 0; column < COLUMNS; column++)
      turned[column][row] = grid[row][column];
}

static void add(void) {
  for (long row = 3; row <= ROWS - 2; ++row)
    // expect: mem-unblocked-transpose high "turned" fix
    for (long column = 1; column < COLUMNS; ++column) {
      grid[row][column] += 0.5 * turned[column][row];
    }
}

static void every_other(void) {
  for (int row = 0; row < ROWS; row += 2)
    // expect: mem-unblocked-transpose medium "turned" no-fix
    for (int column = 0; column < COLUMNS; column++)
      turned[column][row] += grid[row][column];
}

static double named(void) {
  double first_row = 2.0;
  for (int row = 0; row < ROWS; row++)
    // expect: mem-unblocked-transpose high "turned" no-fix
    for (int column = 0; column < COLUMNS; column++)
      turned[column][row] = first_row * grid[row][column];
  return first_row;
}

// The arrays may be the same one.
void handed(double *to, const double *from, long n) {
  for (long i = 0; i < n; i++)
    // expect: mem-unblocked-transpose medium "to" unsafe-fix
    for (long j = 0; j < n; j++)
      to[j * n + i] = from[i * n + j];
}

int main(int argc, char **argv) {
  const long n = argc > 1 ? atol(argv[1]) : 333;
  double *a = malloc(sizeof *a * n * n), *b = malloc(sizeof *b * n * n);
  if (!a || !b)
    return 1;
  for (long k = 0; k < n * n; k++)
    a[k] = (double)(k % 17);
  for (int row = 0; row < ROWS; row++)
    for (int column = 0; column < COLUMNS; column++)
      grid[row][column] = row + 0.001 * column;
  turn();
  add();
  every_other();
  handed(b, a, n);
  double sum = named();
  for (int row = 0; row < ROWS; row++)
    for (int column = 0; column < COLUMNS; column++)
      sum += grid[row][column] * (row % 3);
  for (int column = 0; column < COLUMNS; column++)
    for (int row = 0; row < ROWS; row++)
      sum += turned[column][row] * (column % 5);
  for (long k = 0; k < n * n; k++)
    sum += b[k] * (double)(k % 13);
  printf("%.6f\n", sum);
  free(a);
  free(b);
  return 0;
}
