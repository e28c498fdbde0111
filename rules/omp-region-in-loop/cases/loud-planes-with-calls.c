// flags: -fopenmp
// Each opening gets one plane. What a pencil costs is not to be seen, but other loops share the planes.
struct grid {
  int ks, ke, js, je;
  double **u;
};
extern double (*pencil)(double);

void sweep(struct grid *g) {
  for (int k = g->ks; k <= g->ke; k++) {
    // expect: omp-region-in-loop medium "line 10" "one plane of the data" "share the loop at line 10 instead"
#pragma omp parallel for
    for (int j = g->js; j <= g->je; j++)
      g->u[k][j] = pencil(g->u[k][j]);
  }
}

void scale(struct grid *g) {
#pragma omp parallel for
  for (int k = g->ks; k <= g->ke; k++)
    for (int j = g->js; j <= g->je; j++)
      g->u[k][j] *= 2.0;
}
