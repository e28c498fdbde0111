#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
namespace star {
/// Three dimensional array with ghost cells; i runs fastest.
template <class T>
class Field3 {
public:
    static constexpr int G = 2;
    Field3() : nx_(0), ny_(0), nz_(0), sy_(0), sz_(0) {}
    Field3(int nx, int ny, int nz)
        : nx_(nx), ny_(ny), nz_(nz), sy_(nx + 2 * G), sz_(std::ptrdiff_t(nx + 2 * G) * (ny + 2 * G)),
          v_(new T[sz_ * (nz + 2 * G)]) {
        const int n = nz + 2 * G;
#pragma omp parallel for schedule(static)
        for (int k = 0; k < n; ++k) std::fill_n(&v_[k * sz_], sz_, T());
    }
    T& operator()(int i, int j, int k) { return v_[index(i, j, k)]; }
    const T& operator()(int i, int j, int k) const { return v_[index(i, j, k)]; }
    std::ptrdiff_t index(int i, int j, int k) const { return (k + G) * sz_ + (j + G) * sy_ + (i + G); }
    std::ptrdiff_t stride(int d) const { return d == 0 ? 1 : d == 1 ? sy_ : sz_; }
    std::ptrdiff_t planeSize() const { return sz_; }
    T* plane(int k) { return &v_[(k + G) * sz_]; }
    T* data() { return v_.get(); }
    const T* data() const { return v_.get(); }
    int nx() const { return nx_; }
    int ny() const { return ny_; }
    int nz() const { return nz_; }
private:
    int nx_, ny_, nz_;
    std::ptrdiff_t sy_, sz_;
    std::unique_ptr<T[]> v_;
};
/// Integer range for range-based loops.
class Span {
public:
    struct It {
        int i;
        int operator*() const { return i; }
        It& operator++() { ++i; return *this; }
        bool operator!=(const It& o) const { return i != o.i; }
    };
    Span(int lo, int hi) : lo_(lo), hi_(hi) {}
    It begin() const { return It{lo_}; }
    It end() const { return It{hi_}; }
private:
    int lo_, hi_;
};
template <class F>
inline void forCells(int nx, int ny, int nz, F f) {
#pragma omp parallel for schedule(static)
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i) f(i, j, k);
}
/// Visits the cells column by column (radiation and source terms).
template <class F>
inline void forColumns(int nx, int ny, int nz, F f) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i)
            for (int k = 0; k < nz; ++k) f(i, j, k);
}
}  // namespace star
