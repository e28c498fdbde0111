// A matrix of doubles, 8 MiB, walked down its columns and along its rows: one line per element, one line per 8.
#include <stdio.h>
#include <stdlib.h>

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
  const int times = argc > 1 ? atoi(argv[1]) : 1;
  double total = 0.0;
  for (int t = 0; t < times; t++) {
    matrix[t % SIDE][1] += 1.0;
    total += columns() - 2.0 * rows();
  }
  printf("%.1f\n", total);
  return 0;
}
