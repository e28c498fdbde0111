#ifndef AMR_ARRAY_HPP
#define AMR_ARRAY_HPP
#include <algorithm>
#include <vector>

namespace amr {

struct Box {
  int lo[3], hi[3];
  Box() { for (int d = 0; d < 3; ++d) { lo[d] = 0; hi[d] = -1; } }
  Box(int i, int j, int k, int I, int J, int K) { lo[0] = i; lo[1] = j; lo[2] = k; hi[0] = I; hi[1] = J; hi[2] = K; }
  int len(int d) const { return hi[d] - lo[d] + 1; }
  long size() const { return (long)len(0) * len(1) * len(2); }
  Box grown(int n) const { return Box(lo[0] - n, lo[1] - n, lo[2] - n, hi[0] + n, hi[1] + n, hi[2] + n); }
};

// three-dimensional array over a box, i fast
template <class T>
class Array3 {
public:
  Array3() : sj_(0), sk_(0) {}
  explicit Array3(const Box& b) { define(b); }
  void define(const Box& b) {
    b_ = b;
    sj_ = b.len(0);
    sk_ = (long)sj_ * b.len(1);
    d_.assign(b.size(), T());
  }
  T& operator()(int i, int j, int k) { return d_[(i - b_.lo[0]) + (j - b_.lo[1]) * (long)sj_ + (k - b_.lo[2]) * sk_]; }
  const T& operator()(int i, int j, int k) const { return d_[(i - b_.lo[0]) + (j - b_.lo[1]) * (long)sj_ + (k - b_.lo[2]) * sk_]; }
  T* data() { return d_.data(); }
  const T* data() const { return d_.data(); }
  const Box& box() const { return b_; }
  int strideJ() const { return sj_; }
  long strideK() const { return sk_; }
  void swap(Array3& o) { std::swap(b_, o.b_); std::swap(sj_, o.sj_); std::swap(sk_, o.sk_); d_.swap(o.d_); }
private:
  Box b_;
  int sj_;
  long sk_;
  std::vector<T> d_;
};

// calls f(i,j,k) for the points of a box
template <class F>
inline void forEach(const Box& b, F f) {
  for (int i = b.lo[0]; i <= b.hi[0]; ++i)
    for (int j = b.lo[1]; j <= b.hi[1]; ++j)
      for (int k = b.lo[2]; k <= b.hi[2]; ++k)
        f(i, j, k);
}

// same, row by row: f(j,k) does the row itself
template <class F>
inline void forRows(const Box& b, F f) {
  for (int k = b.lo[2]; k <= b.hi[2]; ++k)
    for (int j = b.lo[1]; j <= b.hi[1]; ++j)
      f(j, k);
}

// small square matrix for characteristic projections
struct Small5 {
  double a[5][5];
};

} // namespace amr
#endif
