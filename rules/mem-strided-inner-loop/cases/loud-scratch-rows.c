// Scratch arrays that each iteration of the outer loop fills anew: on the heap, over two loops, over several nests; members
// of one record that hold different arrays; numbers that are kept in memory.
#include <stdlib.h>

void implicit_lines(double ***t, int nx, int ny, int nz, double r) {
  double *c = malloc(nz * sizeof *c);
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      double b = 1.0 + r;
      t[0][j][i] /= b;
      // expect: mem-strided-inner-loop medium "from row to row" "a dimension more"
      for (int k = 1; k < nz; k++) {
        c[k] = -r / b;
        b = 1.0 + 2.0 * r + r * c[k];
        t[k][j][i] = (t[k][j][i] + r * t[k - 1][j][i]) / b;
      }
      // expect: mem-strided-inner-loop medium
      for (int k = nz - 2; k >= 0; k--)
        t[k][j][i] -= c[k + 1] * t[k + 1][j][i];
    }
  free(c);
}

static double field[300][400][32], smooth[300][400];

double value(int i, int j, int s) { return field[i][j][s]; }

void spread(int nx, int ny, int species, double d) {
  for (int s = 0; s < species; s++) {
    for (int j = 1; j < ny - 1; j++)
      // expect: mem-strided-inner-loop medium "over 's' the step is 8 bytes" "'smooth' gets a dimension more"
      for (int i = 1; i < nx - 1; i++)
        smooth[j][i] = field[j][i][s] + d * (field[j][i - 1][s] + field[j][i + 1][s] - 2.0 * field[j][i][s]);
    for (int j = 1; j < ny - 1; j++)
      for (int i = 1; i < nx - 1; i++)
        field[j][i][s] = smooth[j][i];
  }
}

struct solver {
  int n;
  double *inverse, *right, *solution;
};

void solve(struct solver *g) {
  for (int i = 0; i < g->n; i++) {
    g->solution[i] = 0.0;
    // expect: mem-strided-inner-loop medium "8 * n bytes"
    for (int j = 0; j < g->n; j++)
      g->solution[i] += g->inverse[i + (long)j * g->n] * g->right[j];
  }
}

void changes(double *largest, const double *now, const double *before, int cells, int groups) {
  for (int i = 0; i < cells; i++)
    // expect: mem-strided-inner-loop medium "8 * cells bytes"
    for (int g = 0; g < groups; g++) {
      const double d = now[g * cells + i] - before[g * cells + i];
      if (d > largest[g])
        largest[g] = d;
    }
}

void read_size(int *n);

void copies(double *u, const double *c, double *grid, int steps) {
  int n = 0;
  for (int s = 0; s < steps; s++) {
    read_size(&n);
    for (int i = 0; i < n; i++)
      // expect: mem-strided-inner-loop medium "8 * n bytes"
      for (int j = 0; j < n; j++)
        grid[j * n + i] = u[j * n + i] + c[j * n + i];
  }
}
