// A good part of the work is done by one thread, before and between the regions.
// rule: none
// head: (\d+) % of the work on one thread @serial
// watch: omp
// flags: -fopenmp
// twin: all of it is shared
#include "truth.h"

int main(void) {
  double shared = 0, serial = 0, begin = used();
#ifndef TWIN
  work(0.2);
#endif
  serial += used() - begin;
  for (int step = 0; step < 10; step++) {
    double most = 0;
#pragma omp parallel reduction(max : most)
    {
      double mine = used();
      work(0.03);
      most = used() - mine;
    }
    shared += most;
#ifndef TWIN
    begin = used();
    work(0.01);
    serial += used() - begin;
#endif
  }
  say("serial", 100 * serial / (serial + shared));
  return 0;
}
