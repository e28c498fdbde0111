#ifndef MG_GRID_HPP
#define MG_GRID_HPP

#include <cstddef>
#include <iterator>
#include <vector>

namespace mg {

/// Interior 1..n in each direction, one ghost layer.  Last index is the
/// fastest one.
template <typename T, int G = 1>
class Grid {
 public:
  typedef typename std::vector<T>::iterator iterator;

  Grid(int ni, int nj, int nk)
      : n_{ni, nj, nk},
        sj_(nk + 2 * G),
        si_(std::size_t(nj + 2 * G) * (nk + 2 * G)),
        a_(si_ * (ni + 2 * G)) {}

  T& operator()(int i, int j, int k) { return a_[i * si_ + j * sj_ + k]; }
  const T& operator()(int i, int j, int k) const { return a_[i * si_ + j * sj_ + k]; }
  T* line(int i, int j) { return &a_[i * si_ + j * sj_]; }
  const T* line(int i, int j) const { return &a_[i * si_ + j * sj_]; }
  T* raw() { return a_.data(); }
  iterator begin() { return a_.begin(); }
  iterator end() { return a_.end(); }
  std::size_t strideI() const { return si_; }
  std::size_t strideJ() const { return sj_; }
  int n(int d) const { return n_[d]; }
  std::size_t planeSize() const { return si_; }

  /// walks along direction d from a point
  class Walker {
   public:
    Walker(T* p, std::size_t s) : p_(p), s_(s) {}
    T& operator*() const { return *p_; }
    Walker& operator++() { p_ += s_; return *this; }
    bool operator!=(const Walker& o) const { return p_ != o.p_; }
   private:
    T* p_;
    std::size_t s_;
  };
  struct Line {
    T* p;
    std::size_t s;
    int n;
    Walker begin() const { return Walker(p, s); }
    Walker end() const { return Walker(p + s * n, s); }
  };
  Line alongI(int j, int k) { return Line{&(*this)(1, j, k), si_, n_[0]}; }
  Line alongK(int i, int j) { return Line{&(*this)(i, j, 1), 1, n_[2]}; }

 private:
  int n_[3];
  std::size_t sj_, si_;
  std::vector<T> a_;
};

typedef Grid<double> Field;

}  // namespace mg
#endif
