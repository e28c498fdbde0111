#pragma once
#include <vector>

// x runs fastest, as the visualisation wants it
template <class T> class Grid3 {
public:
    Grid3(int nx, int ny, int nz) : nx_(nx), ny_(ny), nz_(nz), d_(std::size_t(nx)*ny*nz, T()) {}
    T       &operator()(int x, int y, int z)       { return d_[(std::size_t(z)*ny_ + y)*nx_ + x]; }
    const T &operator()(int x, int y, int z) const { return d_[(std::size_t(z)*ny_ + y)*nx_ + x]; }
    int nx() const { return nx_; }
    int ny() const { return ny_; }
    int nz() const { return nz_; }
    T *data() { return d_.data(); }
    std::size_t size() const { return d_.size(); }
    void swap(Grid3 &o) { d_.swap(o.d_); }
private:
    int nx_, ny_, nz_;
    std::vector<T> d_;
};
