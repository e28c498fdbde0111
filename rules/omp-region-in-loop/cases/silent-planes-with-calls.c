// flags: -fopenmp
// Nothing else shares the planes, of which there may be a few, and what a pencil costs is not to be seen; or the pencil
// adds to one row, which the planes have in common.
struct grid {
  int ks, ke, js, je, ni;
  double ***u, **sum;
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
