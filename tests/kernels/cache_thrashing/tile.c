// A tile of 128 rows by 8 columns of a matrix, summed down its columns again and again: 128 lines, which any
// first-level cache holds. With rows of 1024 numbers they all stand in one set; rows of 1032 spread them
// (-DPITCH=1032).
#include <stdio.h>
#include <stdlib.h>

#ifndef PITCH
#define PITCH 1024
#endif
enum { ROWS = 128, COLUMNS = 8 };

_Alignas(64) static double matrix[ROWS][PITCH]; // each row of the tile is one line

static double sum(void) {
  double total = 0.0;
  for (int x = 0; x < COLUMNS; x++)
    for (int y = 0; y < ROWS; y++)
      total += matrix[y][x];
  return total;
}

int main(int argc, char **argv) {
  const int times = argc > 1 ? atoi(argv[1]) : 60;
  double total = 0.0;
  for (int y = 0; y < ROWS; y++)
    for (int x = 0; x < COLUMNS; x++)
      matrix[y][x] = x + y;
  for (int t = 0; t < times; t++)
    total += sum();
  printf("%.1f\n", total);
  return 0;
}
