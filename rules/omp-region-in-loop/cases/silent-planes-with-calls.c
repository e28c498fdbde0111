// flags: -fopenmp
// Nothing else shares the planes, of which there may be a few, and what a pencil costs is not to be seen; or each
// round is a step over the same elements.
struct grid {
  int ks, ke, js, je, ni;
  double ***u;
};
extern void (*pencil)(double *, int);

void sweep(struct grid *g) {
  for (int k = g->ks; k <= g->ke; k++) {
#pragma omp parallel for
    for (int j = g->js; j <= g->je; j++) {
      pencil(g->u[k][j], g->ni);
      for (int i = 0; i < g->ni; i++)
        g->u[k][j][i] *= 0.5;
    }
  }
}

void steps(double *x, int n) {
  for (int t = 0; t < n; t++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      pencil(x + i, 1);
      x[i] *= 0.5;
    }
  }
}
