// Each cell needs the new value of its neighbours: blocks would change the order of the updates.
#define N 512

double field[N][N][N];

void sweep(void) {
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      for (int k = 1; k < N - 1; k++)
        field[i][j][k] = (field[i - 1][j][k] + field[i + 1][j][k] + field[i][j - 1][k] + field[i][j + 1][k] +
                          field[i][j][k - 1] + field[i][j][k + 1]) /
                         6;
}
