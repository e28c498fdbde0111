#include "linalg.hpp"
#include <cmath>
namespace fc {
RowComm::RowComm(MPI_Comm c, int n) : comm_(c) {
  MPI_Comm_rank(c, &rank_);
  MPI_Comm_size(c, &size_);
  cnt_.assign(size_, n / size_);
  for (int r = 0; r < n % size_; ++r) ++cnt_[r];
  dsp_.assign(size_, 0);
  for (int r = 1; r < size_; ++r) dsp_[r] = dsp_[r - 1] + cnt_[r - 1];
}

void RowComm::sync(Vec& v) const {
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, v.data(), cnt_.data(), dsp_.data(), MPI_DOUBLE, comm_);
}

static double dot(const Vec& a, const Vec& b, int lo, int hi) {
  double s = 0;
#pragma omp parallel for simd reduction(+ : s)
  for (int i = lo; i < hi; ++i) s += a[i] * b[i];
  return s;
}

TwoLevel::TwoLevel(const Mesh& mesh, const RowComm& rc, int bs, int modes) : rc_(rc), m_(modes) {
  const int n = mesh.nnode() * bs;
  zdat_.assign(std::size_t(n) * m_, 0.0);
  DenseView<double> Z(zdat_.data(), m_);
  for (int k = 0; k < m_; ++k) {
    const int a = k / bs % 4, b = k / bs / 4;
    double nrm = 0;
    for (int v = 0; v < mesh.nnode(); ++v) {
      const double f = std::cos(M_PI * a * mesh.nodes[v].x) * std::sin(M_PI * (b + 1) * mesh.nodes[v].y);
      Z(v * bs + k % bs, k) = f;
      nrm += f * f;
    }
    for (int v = 0; v < mesh.nnode(); ++v) Z(v * bs + k % bs, k) /= std::sqrt(nrm);
  }
  dinv_.resize(n);
}

void TwoLevel::update(const Csr<double>& A) {
  DenseView<double> Z(zdat_.data(), m_);
  edat_.assign(m_, 0.0);
#pragma omp parallel
  {
    Vec az(m_), mine(m_, 0.0);
#pragma omp for nowait
    for (int i = 0; i < A.n; ++i) {
      std::fill(az.begin(), az.end(), 0.0);
      for (int k = A.ptr[i]; k < A.ptr[i + 1]; ++k) {
        const double* zr = Z.row(A.col[k]);
        for (int c = 0; c < m_; ++c) az[c] += A.val[k] * zr[c];
        if (A.col[k] == i) dinv_[i] = 1.0 / A.val[k];
      }
      for (int c = 0; c < m_; ++c) mine[c] += Z(i, c) * az[c];
    }
#pragma omp critical(coarse)
    for (int c = 0; c < m_; ++c) edat_[c] += mine[c];
  }
}

void TwoLevel::apply(const Vec& r, Vec& z) {
  const int lo = rc_.lo(), hi = rc_.hi();
  DenseView<const double> Z(zdat_.data(), m_);
  Vec y(m_);
#pragma omp parallel for schedule(static)
  for (int k = 0; k < m_; ++k) {
    double s = 0;
    for (int i = lo; i < hi; ++i) s += Z(i, k) * r[i];
    y[k] = s;
  }
  rc_.sum(y.data(), m_);
  for (int k = 0; k < m_; ++k) y[k] /= edat_[k];
#pragma omp parallel for schedule(static)
  for (int i = lo; i < hi; ++i) {
    const double* zr = Z.row(i);
    double c = 0;
    for (int k = 0; k < m_; ++k) c += zr[k] * y[k];
    z[i] = dinv_[i] * r[i] + c;
  }
  rc_.sync(z);
}

void LevelSsor::update(const Csr<double>& A) {
  A_ = &A;
  if (!diag_) diag_.reset(new double[A.n]);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < A.n; ++i)
    for (int k = A.ptr[i]; k < A.ptr[i + 1]; ++k)
      if (A.col[k] == i) diag_[i] = A.val[k];
  if (!level_.empty()) return;
  std::vector<int> lev(A.n, 0);
  for (int i = 0; i < A.n; ++i) {
    for (int k = A.ptr[i]; k < A.ptr[i + 1]; ++k)
      if (A.col[k] < i) lev[i] = std::max(lev[i], lev[A.col[k]] + 1);
    if (lev[i] >= int(level_.size())) level_.resize(lev[i] + 1);
    level_[lev[i]].push_back(i);
  }
}

void LevelSsor::apply(const Vec& r, Vec& z) {
  const auto& A = *A_;
  auto relax = [&](const std::vector<int>& rows, bool fwd) {
#pragma omp parallel for schedule(static)
    for (std::size_t q = 0; q < rows.size(); ++q) {
      const int i = rows[q];
      double s = fwd ? r[i] : z[i] * diag_[i];
      for (int k = A.ptr[i]; k < A.ptr[i + 1]; ++k)
        if (fwd ? A.col[k] < i : A.col[k] > i) s -= A.val[k] * z[A.col[k]];
      z[i] = s / diag_[i];
    }
  };
  for (const auto& l : level_) relax(l, true);
  for (auto l = level_.rbegin(); l != level_.rend(); ++l) relax(*l, false);
}

int pcg(const Csr<double>& A, Precond& M, const RowComm& rc, const Vec& b, Vec& x, double tol, int maxit) {
  const int n = A.n, lo = rc.lo(), hi = rc.hi();
  Vec r(n), z(n), p(n), q(n);
  A.mult(x, q, 0, n);
  for (int i = 0; i < n; ++i) r[i] = b[i] - q[i];
  M.apply(r, z);
  p = z;
  double rz = rc.sum(dot(r, z, lo, hi)), bb = rc.sum(dot(b, b, lo, hi));
  int it = 0;
  for (; it < maxit; ++it) {
    A.mult(p, q, lo, hi);
    rc.sync(q);
    const double alpha = rz / rc.sum(dot(p, q, lo, hi));
#pragma omp parallel
    {
#pragma omp for schedule(static)
      for (int i = 0; i < n; ++i) x[i] += alpha * p[i];
#pragma omp for schedule(static)
      for (int i = 0; i < n; ++i) r[i] -= alpha * q[i];
    }
    M.apply(r, z);
    rc.sync(z);
    const double rznew = rc.sum(dot(r, z, lo, hi));
    const double rr = rc.sum(dot(r, r, lo, hi));
    if (rr <= tol * tol * bb) break;
    const double beta = rznew / rz;
    rz = rznew;
#pragma omp parallel for simd schedule(static)
    for (int i = 0; i < n; ++i) p[i] = z[i] + beta * p[i];
  }
  return it;
}
}  // namespace fc
