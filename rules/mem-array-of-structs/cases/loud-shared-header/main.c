// The time loop: what it calls in another unit runs again and again.
#include "atom.h"
#include <stdio.h>
#include <stdlib.h>

static double advance(struct atom *atoms, int count, const struct pair_of_atoms *pairs, int bonds) {
  push(atoms, count, 0.5);
  return stretch(pairs, bonds);
}

int main(void) {
  const int count = 20000, bonds = 5000;
  struct atom *atoms = calloc((size_t)count, sizeof *atoms);
  struct pair_of_atoms *pairs = calloc((size_t)bonds, sizeof *pairs);
  double seen = 0.0;
  if (atoms == NULL || pairs == NULL)
    return 1;
  for (int i = 0; i < count; i++)
    atoms[i].charge = i % 2 ? 1.0 : -1.0;
  for (int step = 0; step < 20; step++)
    seen += advance(atoms, count, pairs, bonds);
  printf("%.3f %.3f\n", atoms[3].speed[0], seen);
  free(atoms);
  free(pairs);
  return 0;
}
