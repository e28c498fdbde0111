#ifndef FLUX_H
#define FLUX_H
#include <mpi.h>

struct Level {
  double *u, *next;
  int n, left, right;
};

class Smoother {
public:
  virtual ~Smoother() {}
  virtual void sweep(Level &l) = 0;
};

class Jacobi : public Smoother {
public:
  void sweep(Level &l) override;
};

void exchange(Level &l);
void cycle(Smoother &s, Level &l, int steps);

#endif
