// A matrix of doubles, 8 MiB, walked down its columns and along its rows: one line per element, one line per 8.
#include <stdio.h>

enum { SIDE = 1024 };

static double matrix[SIDE][SIDE];

__attribute__((noinline)) static double columns(void) {
  double total = 0.0;
  for (int x = 0; x < SIDE; x++)
    for (int y = 0; y < SIDE; y++)
      total += matrix[y][x];
  return total;
}

__attribute__((noinline)) static double rows(void) {
  double total = 0.0;
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++)
      total += matrix[y][x];
  return total;
}

int main(int argc, char **argv) {
  (void)argv;
  matrix[1][1] = argc;
  printf("%.1f %.1f\n", columns(), rows());
  return 0;
}
