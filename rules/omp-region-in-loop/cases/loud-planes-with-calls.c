// flags: -fopenmp
// Each opening gets one plane. What a pencil costs is not to be seen, but other loops share the planes.
struct grid {
  int ks, ke, js, je, ni;
  double ***u;
};
extern void (*pencil)(double *, int);

void sweep(struct grid *g) {
  for (int k = g->ks; k <= g->ke; k++) {
    // expect: omp-region-in-loop medium "line 10" "one plane of the data" "share the loop at line 10 instead"
#pragma omp parallel for
    for (int j = g->js; j <= g->je; j++) {
      pencil(g->u[k][j], g->ni);
      for (int i = 0; i < g->ni; i++)
        g->u[k][j][i] *= 0.5;
    }
  }
}

void scale(struct grid *g) {
#pragma omp parallel for
  for (int k = g->ks; k <= g->ke; k++)
    for (int j = g->js; j <= g->je; j++)
      for (int i = 0; i < g->ni; i++)
        g->u[k][j][i] *= 2.0;
}
