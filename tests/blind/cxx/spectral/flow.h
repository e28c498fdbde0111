#ifndef FLOW_H
#define FLOW_H
#include "fft.h"
#include "par.h"

// one wave number shell of the output
struct Shell {
  int n;
  real e;
  real z;
};

class Flow {
public:
  Flow(int n, real nu);
  void init();
  void step(real dt);
  real energy();
  real enstrophy();
  real cfl();
  void spectrum(std::vector<real> &e);
  void shells(std::vector<Shell> &s);
  void meanProfile(std::vector<real> &p);
  void modesPerThread(std::vector<int> &cnt);
private:
  real wave(int i) const { return i <= n_ / 2 ? i : i - n_; }
  real waveLocal(int i) const { return wave(i + off_); }
  void backward(const Array2<cplx> &hat, Array2<cplx> &phys);
  void forward(Array2<cplx> &phys, Array2<cplx> &hat);
  void velocity();
  void gradient();
  void product();
  void dealias(const Filter &f, Array2<cplx> &h);
  void advance(real dt);
  int n_, nl_, off_;
  real nu_;
  Fft fft_;
  Transposer tr_;
  TwoThirds filter_;
  // spectral: (kx local, ky); physical: (y local, x)
  Array2<cplx> w_, uh_, vh_, gxh_, gyh_, nh_, rhs_, tmp_;
  Array2<cplx> u_, v_, gx_, gy_, prod_;
  Array2<real> decay_, table_;
};
#endif
