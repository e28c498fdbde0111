// Blocks of 32 x 32 are meant to stay in the cache, but their rows lie 8192 bytes apart: all in one set.
#define N 1024
#define TILE 32

double from[N][N], to[N][N];

void transpose(void) {
  for (int rows = 0; rows < N; rows += TILE)
    for (int columns = 0; columns < N; columns += TILE)
      for (int i = rows; i < rows + TILE; i++)
        // expect: mem-power-of-two-stride high
        for (int j = columns; j < columns + TILE; j++)
          to[j][i] = from[i][j];
}

void fill(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      from[i][j] = i + j;
}
