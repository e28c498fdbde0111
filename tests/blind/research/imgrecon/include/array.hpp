#pragma once
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <vector>
namespace ir {
// Walks down one column of a row-major image.
template <class T>
class ColumnIterator : public std::iterator<std::forward_iterator_tag, T> {
public:
    ColumnIterator(T* p, std::ptrdiff_t s) : p_(p), s_(s) {}
    T& operator*() const { return *p_; }
    ColumnIterator& operator++() { p_ += s_; return *this; }
    bool operator==(const ColumnIterator& o) const { return p_ == o.p_; }
    bool operator!=(const ColumnIterator& o) const { return p_ != o.p_; }
private:
    T* p_;
    std::ptrdiff_t s_;
};

template <class T>
class View2D {
public:
    View2D(T* p, int ny, int nx) : p_(p), ny_(ny), nx_(nx) {}
    T& operator()(int y, int x) const { return p_[static_cast<std::size_t>(y) * nx_ + x]; }
    T* row(int y) const { return p_ + static_cast<std::size_t>(y) * nx_; }
    ColumnIterator<T> colBegin(int x) const { return {p_ + x, nx_}; }
    ColumnIterator<T> colEnd(int x) const { return {p_ + x + static_cast<std::size_t>(ny_) * nx_, nx_}; }
    int ny() const { return ny_; } int nx() const { return nx_; }
    std::size_t size() const { return static_cast<std::size_t>(ny_) * nx_; }
    T* data() const { return p_; }
private:
    T* p_;
    int ny_, nx_;
};

using Image = View2D<float>;

class Volume {
public:
    Volume(int nz, int ny, int nx)
        : nz_(nz), ny_(ny), nx_(nx), d_(static_cast<std::size_t>(nz) * ny * nx, 0.0f) {}
    float& operator()(int z, int y, int x) { return d_[(static_cast<std::size_t>(z) * ny_ + y) * nx_ + x]; }
    float operator()(int z, int y, int x) const { return d_[(static_cast<std::size_t>(z) * ny_ + y) * nx_ + x]; }
    Image slice(int z) { return Image(&d_[static_cast<std::size_t>(z) * ny_ * nx_], ny_, nx_); }
    int nz() const { return nz_; } int ny() const { return ny_; } int nx() const { return nx_; }
    std::size_t size() const { return d_.size(); }
    float* data() { return d_.data(); }
    const float* data() const { return d_.data(); }
private:
    int nz_, ny_, nx_;
    std::vector<float> d_;
};

// Uninitialised storage, pages placed by the threads that work on the rows.
class Scratch {
public:
    explicit Scratch(std::size_t n) : n_(n), p_(new float[n]) {
        #pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < n_; ++i) p_[i] = 0.0f;
    }
    float* data() { return p_.get(); }
    float& operator[](std::size_t i) { return p_[i]; }
private:
    std::size_t n_;
    std::unique_ptr<float[]> p_;
};

// Visit all voxels; the functor gets the value and its coordinates.
template <class F>
void forEachVoxel(Volume& v, F f) {
    #pragma omp parallel for
    for (int x = 0; x < v.nx(); ++x)
        for (int y = 0; y < v.ny(); ++y)
            for (int z = 0; z < v.nz(); ++z)
                f(v(z, y, x), z, y, x);
}

template <class F>
void forEachSlice(Volume& v, F f) {
    #pragma omp parallel for schedule(dynamic)
    for (int z = 0; z < v.nz(); ++z) f(v.slice(z), z);
}
}  // namespace ir
