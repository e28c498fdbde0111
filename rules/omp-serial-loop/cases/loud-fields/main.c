// flags: -fopenmp
#include "atoms.h"
#include <stdio.h>
#include <stdlib.h>

struct atom *at;
int *near, *count, *next, *head, natom;

int main(int argc, char **argv) {
  natom = argc > 1 ? atoi(argv[1]) : 40000;
  const int cells = natom / 16 + 1;
  at = calloc(natom, sizeof *at);
  near = calloc((size_t)natom * MaxNear, sizeof *near);
  count = calloc(natom, sizeof *count);
  next = calloc(natom, sizeof *next);
  head = malloc(cells * sizeof *head);
  for (int c = 0; c < cells; c++)
    head[c] = -1;
  // expect: omp-serial-first-touch medium
  for (int i = 0; i < natom; i++) {
    at[i].r[0] = i * 0.01;
    at[i].cell = i / 16;
    next[i] = head[i / 16];
    head[i / 16] = i;
  }
  for (int step = 0; step < 20; step++) {
    build(0.001);
#pragma omp parallel for
    for (int i = 0; i < natom; i++) {
      // expect: mem-array-of-structs
      for (int n = 0; n < count[i]; n++)
        at[i].v[0] += 1e-3 * (at[i].old[0] - at[near[n * natom + i]].old[0]);
    }
#pragma omp parallel for
    for (int i = 0; i < natom; i++)
      for (int k = 0; k < 3; k++)
        at[i].r[k] += 1e-3 * at[i].v[k];
  }
  printf("%.8f\n", at[natom / 2].r[0]);
  return 0;
}
