#ifndef FFT_H
#define FFT_H
#include "array2.h"

class Fft {
public:
  explicit Fft(int n);
  void line(cplx *x, int sign) const;                 // contiguous
  void strided(cplx *x, int stride, int sign) const;  // every stride-th
  void rows(Array2<cplx> &a, int sign) const;
  void columns(Array2<cplx> &a, int sign) const;
  void tile(const Array2<cplx> &a, Array2<cplx> &b) const;
private:
  int n_, log_;
  std::vector<int> rev_;
  std::vector<cplx> tw_;
};

class Filter {
public:
  virtual ~Filter() {}
  virtual real factor(real kx, real ky) const = 0;
};

class TwoThirds : public Filter {
public:
  explicit TwoThirds(int n) : k_(n / 3.0) {}
  real factor(real kx, real ky) const {
    return (kx > k_ || kx < -k_ || ky > k_ || ky < -k_) ? 0.0 : 1.0;
  }
private:
  real k_;
};
#endif
