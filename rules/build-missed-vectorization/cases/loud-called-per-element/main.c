#include "sums.h"
#include <stdio.h>

enum { CELLS = 400, NODES = 6 };

static float node[CELLS * NODES], cell[CELLS];

static void gather(void) {
  for (int c = 0; c < CELLS; c++)
    cell[c] = (float)weight(node + c * NODES, NODES);
}

int main(void) {
  double all = 0.0;
  for (int i = 0; i < CELLS * NODES; i++)
    node[i] = 1.0f + i % 3;
  for (int step = 0; step < 50; step++) {
    gather();
    all += energy(cell, CELLS);
  }
  printf("%g\n", all);
  return 0;
}
