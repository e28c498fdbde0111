#ifndef FIELD_HPP
#define FIELD_HPP
// Cell-centred field with ghost layers.  The second index runs fastest.

#include <cassert>
#include <cstddef>
#include <vector>

namespace hyd {

class Range {
 public:
  class iterator {
   public:
    explicit iterator(int v) : v_(v) {}
    int operator*() const { return v_; }
    iterator &operator++() { ++v_; return *this; }
    bool operator!=(const iterator &o) const { return v_ != o.v_; }
   private:
    int v_;
  };
  Range(int lo, int hi) : lo_(lo), hi_(hi) {}
  iterator begin() const { return iterator(lo_); }
  iterator end() const { return iterator(hi_); }
 private:
  int lo_, hi_;
};

template <class T>
class Field {
 public:
  Field() : ni_(0), nj_(0), ng_(0), ld_(0) {}

  void resize(int ni, int nj, int ng, T v = T()) {
    ni_ = ni;
    nj_ = nj;
    ng_ = ng;
    ld_ = nj + 2 * ng;
    data_.assign(static_cast<size_t>(ni + 2 * ng) * ld_, v);
  }

  T &operator()(int i, int j) { return data_[index(i, j)]; }
  const T &operator()(int i, int j) const { return data_[index(i, j)]; }

  T *row(int i) { return &data_[index(i, -ng_)]; }
  const T *row(int i) const { return &data_[index(i, -ng_)]; }
  int rowLength() const { return ld_; }

  int ni() const { return ni_; }
  int nj() const { return nj_; }
  int ng() const { return ng_; }
  Range is() const { return Range(0, ni_); }
  Range js() const { return Range(0, nj_); }
  void swap(Field &o) { data_.swap(o.data_); }

 private:
  size_t index(int i, int j) const {
    return static_cast<size_t>(i + ng_) * ld_ + (j + ng_);
  }
  int ni_, nj_, ng_, ld_;
  std::vector<T> data_;
};

}  // namespace hyd
#endif
