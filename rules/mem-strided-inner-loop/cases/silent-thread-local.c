// flags: -fopenmp
// What each thread keeps for one line of cells is filled and read in the same round of the loop over columns: the sweep
// cannot be moved out of it as it stands.
#define N 65
static double flow[N][N][N], kept[N], more[N];
static __thread double line[N], next[N];
#pragma omp threadprivate(kept, more)

void sweep(int rows, int columns, int planes, const double (*state)[N][N]) {
  for (int row = 1; row < rows - 1; row++)
    for (int column = 1; column < columns - 1; column++) {
      for (int plane = 0; plane < planes; plane++) {
        kept[plane] = 0.5 * state[row][column][plane];
        line[plane] = kept[plane] + more[plane] + next[plane];
      }
      for (int plane = 1; plane < planes - 1; plane++)
        flow[plane][row][column] = kept[plane + 1] - line[plane - 1];
    }
}
