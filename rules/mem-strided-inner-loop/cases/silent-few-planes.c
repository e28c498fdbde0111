// As many as a compiler writes out: the loop around them is the inner one of the code that runs. And directions of a
// distribution, of which none is the next one's neighbour: all of a cell's are needed at once.
#define NX 250
#define LEVELS 16
#define DIRECTIONS 27

void pressure(int ny, double p[LEVELS][NX][NX], const double rho[LEVELS][NX][NX], const double dz[LEVELS]) {
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < NX; i++)
      for (int k = 1; k < LEVELS; k++)
        p[k][j][i] = p[k - 1][j][i] + rho[k - 1][j][i] * dz[k - 1] + rho[k][j][i] * dz[k];
}

void relax(int ny, double f[DIRECTIONS][NX][NX], double rho[NX][NX], const double w[DIRECTIONS], double omega) {
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < NX; i++) {
      double sum = 0;
      for (int q = 0; q < DIRECTIONS; q++)
        sum += f[q][j][i];
      rho[j][i] = sum;
      for (int q = 0; q < DIRECTIONS; q++)
        f[q][j][i] += omega * (w[q] * sum - f[q][j][i]);
    }
}
