#pragma once
#include <mpi.h>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>
#include "mesh.hpp"
namespace fc {
using Vec = std::vector<double>;
/* rows of a system are split in blocks over the ranks, vectors are replicated */
class RowComm {
 public:
  RowComm(MPI_Comm c, int n);
  int lo() const { return dsp_[rank_]; }
  int hi() const { return dsp_[rank_] + cnt_[rank_]; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm comm() const { return comm_; }
  void sum(double* v, int n) const { MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_DOUBLE, MPI_SUM, comm_); }
  double sum(double v) const { return sum(&v, 1), v; }
  void sync(Vec& v) const;
 private:
  MPI_Comm comm_;
  int rank_, size_;
  std::vector<int> cnt_, dsp_;
};
template <typename T>
class Csr {
 public:
  /* block pattern: every node pair becomes a bs x bs block */
  void pattern(const std::vector<std::vector<int>>& adj, int bs) {
    n = int(adj.size()) * bs;
    ptr.assign(n + 1, 0);
    for (int i = 0; i < n; ++i) ptr[i + 1] = ptr[i] + int(adj[i / bs].size()) * bs;
    col.resize(ptr[n]);
    val.assign(ptr[n], T(0));
    for (int i = 0; i < n; ++i) {
      int* c = &col[ptr[i]];
      for (int b : adj[i / bs])
        for (int s = 0; s < bs; ++s) *c++ = b * bs + s;
    }
  }
  void zero() {
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < val.size(); ++k) val[k] = T(0);
  }
  T& at(int i, int j) {
    auto b = col.begin() + ptr[i], e = col.begin() + ptr[i + 1];
    return val[std::lower_bound(b, e, j) - col.begin()];
  }
  void mult(const Vec& x, Vec& y, int lo, int hi) const {
#pragma omp parallel for schedule(static)
    for (int i = lo; i < hi; ++i) {
      T s(0);
      for (int k = ptr[i]; k < ptr[i + 1]; ++k) s += val[k] * x[col[k]];
      y[i] = s;
    }
  }
  int n = 0;
  std::vector<int> ptr, col;
  std::vector<T> val;
};
/* non-owning row-major view */
template <typename T>
class DenseView {
 public:
  DenseView(T* p, int cols) : p_(p), c_(cols) {}
  T& operator()(int i, int j) const { return p_[std::size_t(i) * c_ + j]; }
  T* row(int i) const { return p_ + std::size_t(i) * c_; }
 private:
  T* p_;
  int c_;
};
/* storage orders for Grid2 */
struct RowMajor { static std::size_t at(int r, int c, int, int nc) { return std::size_t(r) * nc + c; } };
struct ColMajor { static std::size_t at(int r, int c, int nr, int) { return std::size_t(c) * nr + r; } };
template <typename T, class Layout>
class Grid2 {
 public:
  Grid2(int nr, int nc) : nr_(nr), nc_(nc), d_(std::size_t(nr) * nc) {}
  T& operator()(int r, int c) { return d_[Layout::at(r, c, nr_, nc_)]; }
  const T& operator()(int r, int c) const { return d_[Layout::at(r, c, nr_, nc_)]; }
  T* data() { return d_.data(); }
  auto begin() { return d_.begin(); }
  int nr() const { return nr_; }  int nc() const { return nc_; }
 private:
  int nr_, nc_;
  std::vector<T> d_;
};
class Precond {
 public:
  virtual ~Precond() = default;
  virtual void update(const Csr<double>& A) = 0;
  virtual void apply(const Vec& r, Vec& z) = 0;
};
/* Jacobi plus a coarse space of smooth modes */
class TwoLevel : public Precond {
 public:
  TwoLevel(const Mesh& m, const RowComm& rc, int bs, int modes);
  void update(const Csr<double>& A) override;
  void apply(const Vec& r, Vec& z) override;
 private:
  const RowComm& rc_;
  int m_;
  Vec dinv_, zdat_, edat_;
};
/* symmetric Gauss-Seidel by level sets */
class LevelSsor : public Precond {
 public:
  void update(const Csr<double>& A) override;
  void apply(const Vec& r, Vec& z) override;
 private:
  const Csr<double>* A_ = nullptr;
  std::vector<std::vector<int>> level_;
  std::unique_ptr<double[]> diag_;
};

int pcg(const Csr<double>& A, Precond& M, const RowComm& rc, const Vec& b, Vec& x, double tol, int maxit);
}  // namespace fc
