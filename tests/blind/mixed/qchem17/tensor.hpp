#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace qc {

using index = std::ptrdiff_t;

// half-open range for loops
class range {
public:
  struct iter {
    index v;
    index operator*() const { return v; }
    iter& operator++() { ++v; return *this; }
    bool operator!=(const iter& o) const { return v != o.v; }
  };
  explicit range(index n) : b_(0), e_(n) {}
  range(index b, index e) : b_(b), e_(e) {}
  iter begin() const { return {b_}; }
  iter end() const { return {e_ > b_ ? e_ : b_}; }
private:
  index b_, e_;
};

constexpr index round_up_pow2(index n) {
  index p = 1;
  while (p < n) p *= 2;
  return p;
}

// row-major matrix, rows aligned
template <class T>
class Matrix {
public:
  Matrix() = default;
  Matrix(index r, index c) : r_(r), c_(c), ld_(round_up_pow2(c)), d_(r * ld_, T{}) {}
  T& operator()(index i, index j) { return d_[i * ld_ + j]; }
  const T& operator()(index i, index j) const { return d_[i * ld_ + j]; }
  T* row(index i) { return d_.data() + i * ld_; }
  const T* row(index i) const { return d_.data() + i * ld_; }
  index rows() const { return r_; }
  index cols() const { return c_; }
  void zero() { std::fill(d_.begin(), d_.end(), T{}); }
private:
  index r_ = 0, c_ = 0, ld_ = 0;
  std::vector<T> d_;
};

// dense tensor of rank N, last index fast
template <class T, std::size_t N>
class Tensor {
public:
  Tensor() = default;
  explicit Tensor(std::array<index, N> n) : n_(n) {
    size_ = 1;
    for (auto k = N; k-- > 0;) { s_[k] = size_; size_ *= n_[k]; }
    d_.reset(new T[size_]); // storage is not set here
  }
  template <class... I>
  T& operator()(I... i) { return d_[off({static_cast<index>(i)...})]; }
  template <class... I>
  const T& operator()(I... i) const { return d_[off({static_cast<index>(i)...})]; }
  index size() const { return size_; }
  index extent(int k) const { return n_[k]; }
  T* data() { return d_.get(); }
  const T* data() const { return d_.get(); }
  void zero() {
#pragma omp parallel for schedule(static)
    for (index i = 0; i < size_; ++i) d_[i] = T{};
  }
private:
  index off(std::array<index, N> i) const {
    index o = 0;
    for (std::size_t k = 0; k < N; ++k) o += i[k] * s_[k];
    return o;
  }
  std::array<index, N> n_{}, s_{};
  index size_ = 0;
  std::unique_ptr<T[]> d_;
};

template <class F>
void parallel_for(index n, F&& f) {
#pragma omp parallel for schedule(static)
  for (index i = 0; i < n; ++i) f(i);
}

} // namespace qc
