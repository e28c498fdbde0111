// flags: -fopenmp
// A plate cools. The team is opened for each row, and in each step for the rim.
#include <stdio.h>

#define ROWS 200
#define COLUMNS 600
#define RIM 1000

static double now[ROWS][COLUMNS], next[ROWS][COLUMNS];
static double rim[RIM];

static void sweep(void) {
  for (int y = 1; y < ROWS - 1; y++) {
    // expect: omp-region-in-loop high "about 1 us of work"
#pragma omp parallel for
    for (int x = 1; x < COLUMNS - 1; x++)
      next[y][x] = 0.25 * (now[y - 1][x] + now[y + 1][x] + now[y][x - 1] + now[y][x + 1]);
  }
#pragma omp parallel for
  for (int y = 1; y < ROWS - 1; y++)
    for (int x = 1; x < COLUMNS - 1; x++)
      now[y][x] = next[y][x];
}

int main(void) {
  for (int y = 0; y < ROWS; y++)
    for (int x = 0; x < COLUMNS; x++)
      now[y][x] = (x * y) % 11;
  for (int step = 0; step < 20; step++) {
    sweep();
    // expect: omp-region-in-loop medium "about 7 us of work"
#pragma omp parallel for
    for (int k = 0; k < RIM; k++)
      rim[k] = 0.5 * rim[k] + 0.5 * now[1][k % COLUMNS];
  }
  double sum = 0.0;
  for (int y = 0; y < ROWS; y++)
    for (int x = 0; x < COLUMNS; x++)
      sum += now[y][x];
  for (int k = 0; k < RIM; k++)
    sum += rim[k];
  printf("%.6f\n", sum);
  return 0;
}
