#pragma once
#include <mpi.h>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <vector>

namespace netsim {

/// xorshift64*, one per thread
class Rng {
public:
    explicit Rng(std::uint64_t seed = 88172645463325252ull) : s_(seed * 2685821657736338717ull + 1) {}
    double uniform() {
        s_ ^= s_ >> 12; s_ ^= s_ << 25; s_ ^= s_ >> 27;
        return double((s_ * 2685821657736338717ull) >> 11) * (1.0 / 9007199254740992.0);
    }
    int below(int n) { return int(uniform() * n); }

private:
    std::uint64_t s_;
};

/// Row-major matrix; m[r] gives the row.
template <class T>
class Matrix {
public:
    Matrix(std::size_t r = 0, std::size_t c = 0, T x = T()) : r_(r), c_(c), d_(r * c, x) {}
    T& operator()(std::size_t r, std::size_t c) { return d_[r * c_ + c]; }
    const T& operator()(std::size_t r, std::size_t c) const { return d_[r * c_ + c]; }
    T* operator[](std::size_t r) { return d_.data() + r * c_; }
    const T* operator[](std::size_t r) const { return d_.data() + r * c_; }
    std::size_t rows() const { return r_; }
    std::size_t cols() const { return c_; }

private:
    std::size_t r_, c_;
    std::vector<T> d_;
};

/// Column-major, for the blocks handed to the eigen solver.
template <class T>
class ColMatrix {
public:
    ColMatrix(std::size_t r = 0, std::size_t c = 0) : r_(r), c_(c), d_(r * c) {}
    T& operator()(std::size_t r, std::size_t c) { return d_[c * r_ + r]; }
    const T& operator()(std::size_t r, std::size_t c) const { return d_[c * r_ + r]; }
    std::size_t rows() const { return r_; }
    std::size_t cols() const { return c_; }

private:
    std::size_t r_, c_;
    std::vector<T> d_;
};

template <class T>
class StrideIter {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;
    StrideIter(const T* p, std::ptrdiff_t s) : p_(p), s_(s) {}
    reference operator*() const { return *p_; }
    StrideIter& operator++() { p_ += s_; return *this; }
    StrideIter operator++(int) { StrideIter t(*this); p_ += s_; return t; }
    bool operator==(const StrideIter& o) const { return p_ == o.p_; }
    bool operator!=(const StrideIter& o) const { return p_ != o.p_; }

private:
    const T* p_;
    std::ptrdiff_t s_;
};

/// Running moments, may be fed from any thread.
class Stat {
public:
    void add(double x) {
        std::lock_guard<std::mutex> g(m_);
        ++n_;
        s_ += x;
        q_ += x * x;
    }
    double mean() const { return n_ ? s_ / n_ : 0.0; }
    double var() const { return n_ ? q_ / n_ - mean() * mean() : 0.0; }
    void reset() { n_ = 0; s_ = q_ = 0.0; }

private:
    std::mutex m_;
    long n_ = 0;
    double s_ = 0.0, q_ = 0.0;
};

}  // namespace netsim
