// Heat in a block of 20 slices: three planes of 2 MiB each are gone before the sweep comes back to them.
#include <stdio.h>
#include <stdlib.h>

enum { SLICES = 20, ROWS = 512, COLUMNS = 512, WIDE = 300 };

static double now[SLICES][ROWS][COLUMNS], next[SLICES][ROWS][COLUMNS];
static double plate[WIDE][WIDE], cooled[WIDE][WIDE];

static void step(double (*restrict out)[ROWS][COLUMNS], double (*restrict in)[ROWS][COLUMNS]) {
  // expect: mem-unblocked-stencil high "after 7.9 MiB of other data" "planes"
  for (int z = 1; z < SLICES - 1; z++)
    for (int y = 1; y < ROWS - 1; y++)
      for (int x = 1; x < COLUMNS - 1; x++)
        out[z][y][x] = 0.5 * in[z][y][x] + 0.0833 * (in[z - 1][y][x] + in[z + 1][y][x] + in[z][y - 1][x] +
                                                     in[z][y + 1][x] + in[z][y][x - 1] + in[z][y][x + 1]);
}

// Three rows of 2400 bytes: they stay in the cache.
static void cool(void) {
  for (int y = 1; y < WIDE - 1; y++)
    for (int x = 1; x < WIDE - 1; x++)
      cooled[y][x] = 0.25 * (plate[y - 1][x] + plate[y + 1][x] + plate[y][x - 1] + plate[y][x + 1]);
}

// One plane at a time: no neighbour lies in another one.
static void scale(double by) {
  for (int z = 0; z < SLICES; z++)
    for (int y = 0; y < ROWS; y++)
      for (int x = 0; x < COLUMNS; x++)
        now[z][y][x] *= by;
}

int main(int argc, char **argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 2;
  for (int z = 0; z < SLICES; z++)
    for (int y = 0; y < ROWS; y++)
      for (int x = 0; x < COLUMNS; x++)
        now[z][y][x] = (x + 3 * y + 7 * z) % 32;
  for (int y = 0; y < WIDE; y++)
    for (int x = 0; x < WIDE; x++)
      plate[y][x] = x + y;
  for (int t = 0; t < steps; t++) {
    step(next, now);
    step(now, next);
  }
  cool();
  scale(0.5);
  printf("%.6f %.3f\n", now[9][200][300], cooled[7][9]);
  return 0;
}
