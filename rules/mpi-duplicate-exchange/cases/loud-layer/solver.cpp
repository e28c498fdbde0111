#include "layer.h"

void smooth(const grid &g, double *field, double *ghosts, double *next, int n) {
  g.share(g.left, g.right, n, field, ghosts);
  for (int i = 0; i < n; i++)
    next[i] = 0.5 * (field[i] + ghosts[i]);
  // expect: mpi-duplicate-exchange medium "MPI_Sendrecv sends 'field' a second time after line 4"
  g.share(g.left, g.right, n, field, ghosts);
  for (int i = 0; i < n; i++)
    next[i] += ghosts[i];
}
