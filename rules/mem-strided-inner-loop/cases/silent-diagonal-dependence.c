// Each value needs one that the previous outer iteration wrote one row further down: the exchanged loops would read it
// too early.
#define ROWS 2000
#define COLUMNS 2000

double level[ROWS][COLUMNS];

void sweep(void) {
  for (int j = 1; j < COLUMNS; j++)
    for (int i = 0; i < ROWS - 1; i++)
      level[i][j] += 0.5 * level[i + 1][j - 1];
}
