// What each rank has is computed by another unit between the sums; it needs none of them.
#include "ranks.h"
#include <cmath>
#include <cstdio>

double watch(const Ranks &ranks, Gas &gas, int steps) {
  double last = 0;
  for (int step = 0; step < steps; step++) {
    gas.advance();
    // expect: mpi-fusable-collectives medium "2 calls of MPI_Allreduce in a row" "that of line 12 could join this one"
    const double mass = ranks.sum(gas.mass());
    const double energy = ranks.sum(gas.energy());
    last = energy / mass;
  }
  return last;
}

// The second one is made of the first one's result, by an argument or by a variable that the function may read.
double spread(const Ranks &ranks, Gas &gas, int steps) {
  double last = 0;
  for (int step = 0; step < steps; step++) {
    gas.advance();
    const double mean = ranks.sum(gas.mass());
    last += ranks.sum(gas.heat(mean));
  }
  return last;
}

double shared(const Ranks &ranks, Gas &gas, int steps) {
  double last = 0;
  for (int step = 0; step < steps; step++) {
    gas.advance();
    total = ranks.sum(gas.mass());
    last += ranks.sum(gas.energy());
  }
  return last;
}
