// array2.h - two-dimensional arrays in one piece of memory
#ifndef ARRAY2_H
#define ARRAY2_H
#include <complex>
#include <cstdlib>
#include <vector>

typedef double real;
typedef std::complex<double> cplx;

// a[i][j], j fastest.  pad adds columns that are never looked at.
template <class T>
class Array2 {
public:
  Array2() : n1_(0), n2_(0), ld_(0), p_(0) {}
  Array2(int n1, int n2, int pad = 0) : p_(0) { create(n1, n2, pad); }
  ~Array2() { delete[] p_; }
  void create(int n1, int n2, int pad = 0) {
    delete[] p_;
    n1_ = n1; n2_ = n2; ld_ = n2 + pad;
    p_ = new T[(size_t)n1_ * ld_];
    for (size_t k = 0; k < (size_t)n1_ * ld_; ++k) p_[k] = T();
  }
  T *operator[](int i) { return p_ + (size_t)i * ld_; }
  const T *operator[](int i) const { return p_ + (size_t)i * ld_; }
  T &operator()(int i, int j) { return p_[(size_t)i * ld_ + j]; }
  const T &operator()(int i, int j) const { return p_[(size_t)i * ld_ + j]; }
  int n1() const { return n1_; }
  int n2() const { return n2_; }
  int ld() const { return ld_; }
private:
  Array2(const Array2 &);
  Array2 &operator=(const Array2 &);
  int n1_, n2_, ld_;
  T *p_;
};

// view with the indices exchanged
template <class T>
class Transposed {
public:
  explicit Transposed(Array2<T> &a) : a_(a) {}
  T &operator()(int i, int j) { return a_(j, i); }
private:
  Array2<T> &a_;
};
#endif
