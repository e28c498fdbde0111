// Blocks of up to 32 x 32, cut where the matrix ends: how long a walk is, is not sure.
#define ROW 1024
#define TILE 32

void transpose(double (*restrict to)[ROW], double (*restrict from)[ROW], int n) {
  for (int rows = 0; rows < n; rows += TILE)
    for (int columns = 0; columns < n; columns += TILE)
      for (int i = rows; i < rows + TILE && i < n; i++)
        // expect: mem-power-of-two-stride medium
        for (int j = columns; j < columns + TILE && j < n; j++)
          to[j][i] = from[i][j];
}
