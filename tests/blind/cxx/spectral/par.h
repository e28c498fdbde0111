#ifndef PAR_H
#define PAR_H
#include <mpi.h>
#include "array2.h"

// The one communicator of the program.
class Par {
public:
  static Par *instance();
  static void start(int *argc, char ***argv);
  static void stop();
  int me, np;
  real sum(real x);
  real maxval(real x);
  void sumVector(real *v, int n);
  void sync();
private:
  Par();
  static Par *the_;
};

// redistribution of n x n fields that are cut by rows
class Transposer {
public:
  Transposer(int n);
  void rows2cols(const Array2<cplx> &a, Array2<cplx> &b);
  void cols2rows(const Array2<cplx> &b, Array2<cplx> &a);
  int nloc() const { return nl_; }
private:
  int n_, nl_;
  std::vector<cplx> s_, r_;
};
#endif
