// Between two calls the tree and the forces are made; positions and masses stay.
#include "bodies.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void forces(void) {
  share_moments();
  build();
  attract();
  // expect: mpi-duplicate-exchange medium "a second time after line 8" "provided that arrays"
  share_moments();
}

// The bodies move in between.
static void moved(double dt) {
  share_moments();
  attract();
  drift(dt);
  share_moments();
}

int main(int argc, char **argv) {
  int ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  count = 64;
  bodies = calloc(count, sizeof *bodies);
  all = calloc(ranks, sizeof *all);
  nodes = calloc(1, sizeof *nodes);
  nodes[0].left = nodes[0].right = -1;
  for (int step = 0; step < 100; step++) {
    drift(0.01);
    forces();
    drift(0.01);
    moved(0.01);
    drift(0.01);
  }
  printf("%g\n", all[0].mass);
  MPI_Finalize();
  return 0;
}
