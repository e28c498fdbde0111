// What one function has exchanged, the next one exchanges again, in the same step or in the next one.
#include "grid.h"
#include <mpi.h>
#include <stdio.h>

static struct grid ocean;
static float heat[2048];

// The exchange beside the function that begins with it.
static void settle(struct grid *g) {
  fill_ghosts(g, g->u);
  // expect: mpi-duplicate-exchange medium "'g->u' a second time after line 11"
  residual(g);
  relax(g);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  double time = 0.0, sum = 0.0;
  for (int step = 0; step < 1000; step++) {
    // expect: mpi-duplicate-exchange medium "physics.c, line 32 of the iteration before"
    settle(&ocean);
    for (int part = 0; part < 8; part++) {
      // expect: mpi-duplicate-exchange medium "of the iteration before" "at the end of each iteration alone"
      const double dt = limit(&ocean);
      // expect: mpi-duplicate-exchange medium "'g->u' a second time after physics.c, line 21"
      carry(&ocean, dt);
      time += dt;
    }
  }
  // The first step's exchange is the one before the loop, with another tag.
  swap_rows(heat, 1024, 3);
  for (int step = 0; step < 1000; step++) {
    // expect: mpi-duplicate-exchange medium "'heat' a second time after"
    swap_rows(heat, 1024, 5);
    cool(heat, 1024);
    sum = total(heat, 1024);
    if (step % 100 == 0)
      printf("%g %g\n", time, sum);
  }
  MPI_Finalize();
  return 0;
}
