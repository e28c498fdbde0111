// flags: -fopenmp
// A record for each thread fills whole lines on purpose, and a loop over the threads is short. The same loop over as
// many records as there is data is not.
#include <omp.h>
#include <stdlib.h>

struct tally {
  double energy;
  long pairs;
  char pad[48];
};
struct team {
  int threads;
  struct tally *tallies;
};
struct cell {
  double density, momentum[4], energy, pressure, sound;
};

static double merge(const struct team *t) {
  double sum = 0.0;
  for (int i = 0; i < t->threads; i++)
    sum += t->tallies[i].energy;
  return sum;
}

static double total(const struct cell *cells, int count) {
  double sum = 0.0;
  // expect: mem-array-of-structs high "cell"
  for (int i = 0; i < count; i++)
    sum += cells[i].energy;
  return sum;
}

double run(const struct cell *cells, int count, int steps) {
  struct team t;
  t.threads = omp_get_max_threads();
  t.tallies = aligned_alloc(64, (size_t)t.threads * sizeof *t.tallies);
  double all = 0.0;
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < omp_get_max_threads(); i++)
      t.tallies[i].energy = 0.0;
    all += total(cells, count) + merge(&t);
  }
  free(t.tallies);
  return all;
}
