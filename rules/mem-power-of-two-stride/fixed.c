// Turns an image by 90 degrees, again and again: the columns of the result are written, whose rows are padded.
#include <stdio.h>
#include <stdlib.h>

#define SIDE 1024
#define PITCH (SIDE + 8) // one cache line more: columns spread over all sets

static double picture[SIDE][PITCH], turned[SIDE][PITCH];

static void turn(void) {
  for (int y = 0; y < SIDE; y++)
    // expect: mem-unblocked-transpose high "picture" "turned"
    for (int x = 0; x < SIDE; x++)
      turned[x][SIDE - 1 - y] = picture[y][x];
}

static void copy_back(void) {
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++)
      picture[y][x] = turned[y][x];
}

// A table of 8 rows: its eight lines find room in one set.
static double eight(double (*rows)[SIDE]) {
  double sum = 0.0;
  for (int x = 0; x < SIDE; x++)
    for (int y = 0; y < 8; y++)
      sum += (y + 1) * rows[y][x];
  return sum;
}

// Every 64th element once: no line is needed again.
static double sample(const double *values, int count) {
  double sum = 0.0;
  for (int k = 0; k < count; k++)
    sum += values[64 * k];
  return sum;
}

int main(int argc, char **argv) {
  static double rows[8][SIDE];
  const int times = argc > 1 ? atoi(argv[1]) : 2;
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++) {
      picture[y][x] = (x * 3 + y * 5) % 11;
      rows[y % 8][x] = x;
    }
  for (int t = 0; t < times; t++) {
    turn();
    copy_back();
  }
  printf("%.1f %.1f %.1f\n", picture[3][4], eight(rows), sample(&rows[0][0], 128));
  return 0;
}
