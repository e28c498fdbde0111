// flags: -fopenmp
// A grid of three dimensions, of which no thread can have a copy: two particles seldom meet in a cell, and each row is
// small, but not the grid.
static double energy[64][64][32];

void deposit(const double (*x)[3], const double *e, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const int a = (int)x[i][0] & 63, b = (int)x[i][1] & 63, c = (int)x[i][2] & 31;
#pragma omp atomic
    energy[a][b][c] += e[i];
  }
}
