// Levels of a grid, each of which the loop computes from the one above it: too many for a compiler to write out, so
// that the loop stays the inner one although its length is known.
#define NX 250
#define LEVELS 32

void pressure(int ny, double p[LEVELS][NX][NX], const double rho[LEVELS][NX][NX], const double dz[LEVELS]) {
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < NX; i++)
      // expect: mem-strided-inner-loop medium "inner loop over 'k'" "500000 bytes"
      for (int k = 1; k < LEVELS; k++)
        p[k][j][i] = p[k - 1][j][i] + rho[k - 1][j][i] * dz[k - 1] + rho[k][j][i] * dz[k];
}
