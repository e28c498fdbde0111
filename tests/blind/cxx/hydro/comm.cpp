#include "comm.hpp"

#include <cstdio>
#include <cstring>

namespace hyd {

Comm &Comm::world() {
  static Comm c;
  return c;
}

Comm::Comm() : comm_(MPI_COMM_WORLD) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
  left_ = rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL;
  right_ = rank_ < size_ - 1 ? rank_ + 1 : MPI_PROC_NULL;
}

double Comm::min(double x) const {
  double r;
  MPI_Allreduce(&x, &r, 1, MPI_DOUBLE, MPI_MIN, comm_);
  return r;
}

double Comm::max(double x) const {
  double r;
  MPI_Allreduce(&x, &r, 1, MPI_DOUBLE, MPI_MAX, comm_);
  return r;
}

double Comm::sum(double x) const {
  double r;
  MPI_Allreduce(&x, &r, 1, MPI_DOUBLE, MPI_SUM, comm_);
  return r;
}

// Both ghost layers of all given fields.
void Comm::fillGhosts(std::vector<Field<double> *> &f) {
  std::vector<MPI_Request> req;
  req.reserve(f.size() * 8);
  for (size_t v = 0; v < f.size(); ++v) {
    Field<double> &q = *f[v];
    const int n = q.ni(), len = q.rowLength();
    for (int g = 0; g < q.ng(); ++g) {
      MPI_Request r;
      MPI_Irecv(q.row(-1 - g), len, MPI_DOUBLE, left_, 10 * v + g, comm_, &r);
      req.push_back(r);
      MPI_Irecv(q.row(n + g), len, MPI_DOUBLE, right_, 1000 + 10 * v + g, comm_, &r);
      req.push_back(r);
      MPI_Isend(q.row(g), len, MPI_DOUBLE, left_, 1000 + 10 * v + g, comm_, &r);
      req.push_back(r);
      MPI_Isend(q.row(n - 1 - g), len, MPI_DOUBLE, right_, 10 * v + g, comm_, &r);
      req.push_back(r);
    }
  }
  MPI_Waitall(static_cast<int>(req.size()), &req[0], MPI_STATUSES_IGNORE);
}

void Comm::startGhosts(Field<double> &f) {
  const int len = f.rowLength(), ng = f.ng(), n = f.ni();
  for (int s = 0; s < 2; ++s) {
    sbuf_[s].resize(static_cast<size_t>(ng) * len);
    rbuf_[s].resize(static_cast<size_t>(ng) * len);
  }
  for (int g = 0; g < ng; ++g) {
    std::memcpy(&sbuf_[0][static_cast<size_t>(g) * len], f.row(g), len * sizeof(double));
    std::memcpy(&sbuf_[1][static_cast<size_t>(g) * len], f.row(n - 1 - g), len * sizeof(double));
  }
  MPI_Irecv(&rbuf_[0][0], ng * len, MPI_DOUBLE, left_, 51, comm_, &req_[0]);
  MPI_Irecv(&rbuf_[1][0], ng * len, MPI_DOUBLE, right_, 50, comm_, &req_[1]);
  MPI_Isend(&sbuf_[0][0], ng * len, MPI_DOUBLE, left_, 50, comm_, &req_[2]);
  MPI_Isend(&sbuf_[1][0], ng * len, MPI_DOUBLE, right_, 51, comm_, &req_[3]);
}

void Comm::finishGhosts(Field<double> &f) {
  MPI_Waitall(4, req_, MPI_STATUSES_IGNORE);
  const int len = f.rowLength(), n = f.ni();
  for (int g = 0; g < f.ng(); ++g) {
    if (left_ != MPI_PROC_NULL)
      std::memcpy(f.row(-1 - g), &rbuf_[0][static_cast<size_t>(g) * len], len * sizeof(double));
    if (right_ != MPI_PROC_NULL)
      std::memcpy(f.row(n + g), &rbuf_[1][static_cast<size_t>(g) * len], len * sizeof(double));
  }
}

// Profile along i, put together on the root for the log.
void Comm::gatherColumn(const std::vector<double> &mine, std::vector<double> &all) {
  const int n = static_cast<int>(mine.size());
  if (root()) {
    all.resize(static_cast<size_t>(n) * size_);
    std::memcpy(&all[0], &mine[0], n * sizeof(double));
    for (int r = 1; r < size_; ++r)
      MPI_Recv(&all[static_cast<size_t>(n) * r], n, MPI_DOUBLE, r, 77, comm_, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(const_cast<double *>(&mine[0]), n, MPI_DOUBLE, 0, 77, comm_);
  }
}

void Comm::readParams(double *p, int n) {
  // root has read them from the command line
  for (int k = 0; k < n; ++k)
    MPI_Bcast(&p[k], 1, MPI_DOUBLE, 0, comm_);
}

}  // namespace hyd
