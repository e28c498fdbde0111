// Between two exchanges something has changed, or may have; or they are not the same.
#include "grid.h"
#include <mpi.h>

void (*chosen)(struct grid *);

// The field itself, by one of its names.
static void step(struct grid *g) {
  residual(g);
  relax(g, g->u);
  residual(g);
}

// Another field takes its name.
static void next_field(struct grid *g) {
  residual(g);
  swap(g);
  residual(g);
}

// More cells are exchanged.
static void next_size(struct grid *g) {
  residual(g);
  refine(g);
  residual(g);
}

// Two grids, which may be one for all that is known, but need not.
static void two(struct grid *a, struct grid *b) {
  residual(a);
  residual(b);
}

// Of two grids the first is changed through the second.
static void shared(struct grid *a, struct grid *b) {
  residual(a);
  relax(b, b->u);
  residual(a);
}

// Not on all ways.
static void some(struct grid *g, int often) {
  if (often)
    residual(g);
  residual(g);
}

// In a loop that may have no iteration.
static void none(struct grid *g, int sweeps) {
  for (int sweep = 0; sweep < sweeps; sweep++) {
    residual(g);
    relax(g, g->u);
    fill_ghosts(g, g->u);
    relax(g, g->u);
  }
  residual(g);
}

// Another grid in each iteration.
static void levels(struct grid *g) {
  for (; g; g = g->coarse)
    residual(g);
}

// A function that nobody knows.
static void any(struct grid *g, void (*filter)(struct grid *)) {
  residual(g);
  filter(g);
  residual(g);
}

// The exchange is measured.
static double measure(struct grid *g) {
  fill_ghosts(g, g->u);
  const double begin = MPI_Wtime();
  fill_ghosts(g, g->u);
  return MPI_Wtime() - begin;
}

// Each time is something new.
static void others(struct grid *g) {
  add_ghosts(g, g->u);
  add_ghosts(g, g->u);
  turn(g, g->u);
  turn(g, g->u);
  write_ghosts(g, g->u);
  write_ghosts(g, g->u);
}

// It calls itself.
static void cycle(struct grid *g, int level) {
  residual(g);
  if (level > 0)
    cycle(g, level - 1);
  relax(g, g->u);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  step(&ocean);
  relax(&ocean, ocean.u);
  next_field(&ocean);
  relax(&ocean, ocean.u);
  next_size(&ocean);
  relax(&ocean, ocean.u);
  two(&ocean, ocean.coarse);
  relax(&ocean, ocean.u);
  shared(&ocean, ocean.coarse);
  relax(&ocean, ocean.u);
  some(&ocean, argc);
  relax(&ocean, ocean.u);
  none(&ocean, argc);
  relax(&ocean, ocean.u);
  levels(&ocean);
  relax(&ocean, ocean.u);
  any(&ocean, chosen);
  relax(&ocean, ocean.u);
  const double seconds = measure(&ocean);
  relax(&ocean, ocean.u);
  others(&ocean);
  cycle(&ocean, 3);
  MPI_Finalize();
  return seconds < 0.0;
}
