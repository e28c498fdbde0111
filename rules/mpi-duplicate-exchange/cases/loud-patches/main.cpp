// Records in a vector, each with vectors of its own: between the exchanges they are only read.
#include "patches.h"
#include <algorithm>
#include <cstdio>

static double run(int steps) {
  Level level(4, 256);
  double last = 0.0;
  for (int step = 0; step < steps; ++step) {
    level.exchange();
    double most = 0.0;
    for (const Patch &p : level.patches())
      most = std::max(most, fastest(p));
    // expect: mpi-duplicate-exchange medium "exchange exchanges the same data a second time after line 10"
    level.exchange();
    for (Patch &p : level.patches()) {
      rates(p);
      advance(p, 0.1 / most);
    }
    last = most;
  }
  return last;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  std::printf("%g\n", run(100));
  MPI_Finalize();
  return argc > 9;
}
