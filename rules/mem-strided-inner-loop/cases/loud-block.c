// Blocks of constant size: one of 18 cells a side is larger than the first-level cache, one of 8 is not; and loops over
// the components of a cell are part of it, wherever they stand.
enum { LARGE = 18, SMALL = 8, SIDE = 40, PARTS = 9 };

struct large {
  double old[LARGE][LARGE][LARGE], now[LARGE][LARGE][LARGE];
};
struct small {
  double old[SMALL][SMALL][SMALL], now[SMALL][SMALL][SMALL];
};

void relax_large(struct large *blocks, int count) {
  for (int b = 0; b < count; b++) {
    struct large *p = &blocks[b];
    for (int i = 1; i < LARGE - 1; i++)
      for (int j = 1; j < LARGE - 1; j++)
        // expect: mem-strided-inner-loop medium "over 'k' steps 2592 bytes" "over 'i' the step is 8 bytes"
        for (int k = 1; k < LARGE - 1; k++)
          p->now[k][j][i] = p->old[k][j][i] + 0.1 * (p->old[k][j][i - 1] + p->old[k][j][i + 1]);
  }
}

void relax_small(struct small *blocks, int count) {
  for (int b = 0; b < count; b++) {
    struct small *p = &blocks[b];
    for (int i = 1; i < SMALL - 1; i++)
      for (int j = 1; j < SMALL - 1; j++)
        for (int k = 1; k < SMALL - 1; k++)
          p->now[k][j][i] = p->old[k][j][i] + 0.1 * (p->old[k][j][i - 1] + p->old[k][j][i + 1]);
  }
}

// Nine arrays are read side by side, each along its rows.
void collide(double (*restrict out)[SIDE][SIDE], double (*restrict in)[SIDE][SIDE]) {
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++)
      for (int k = 0; k < PARTS; k++)
        out[k][y][x] = 0.5 * in[k][y][x];
}
