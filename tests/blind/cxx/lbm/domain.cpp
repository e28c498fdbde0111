#include "domain.hpp"
#include <algorithm>
#include <cstdio>

namespace lb {

Domain& Domain::get() {
  static Domain d;
  return d;
}

Domain::Domain() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  below_ = (rank_ + size_ - 1) % size_;
  above_ = (rank_ + 1) % size_;
}

// all directions, both faces
void Domain::exchange(Populations& f) {
  const int n = static_cast<int>(f.planeSize());
  extern int g_nz;
  for (int q = 0; q < Q; ++q) {
    MPI_Sendrecv(f.plane(q, g_nz - 1), n, MPI_DOUBLE, above_, q, f.plane(q, -1), n, MPI_DOUBLE,
                 below_, q, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(f.plane(q, 0), n, MPI_DOUBLE, below_, 100 + q, f.plane(q, g_nz), n, MPI_DOUBLE,
                 above_, 100 + q, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

void Domain::begin(Populations& f) {
  extern int g_nz;
  const std::size_t n = f.planeSize();
  sendUp_.clear();
  sendDown_.clear();
  for (int q = 0; q < Q; ++q) {
    if (cz[q] > 0) sendUp_.insert(sendUp_.end(), f.plane(q, g_nz - 1), f.plane(q, g_nz - 1) + n);
    if (cz[q] < 0) sendDown_.insert(sendDown_.end(), f.plane(q, 0), f.plane(q, 0) + n);
  }
  recvDown_.resize(sendUp_.size());
  recvUp_.resize(sendDown_.size());
  MPI_Irecv(recvDown_.data(), int(recvDown_.size()), MPI_DOUBLE, below_, 1, MPI_COMM_WORLD, &rq_[0]);
  MPI_Irecv(recvUp_.data(), int(recvUp_.size()), MPI_DOUBLE, above_, 2, MPI_COMM_WORLD, &rq_[1]);
  MPI_Isend(sendUp_.data(), int(sendUp_.size()), MPI_DOUBLE, above_, 1, MPI_COMM_WORLD, &rq_[2]);
  MPI_Isend(sendDown_.data(), int(sendDown_.size()), MPI_DOUBLE, below_, 2, MPI_COMM_WORLD, &rq_[3]);
}

void Domain::end(Populations& f) {
  extern int g_nz;
  MPI_Waitall(4, rq_, MPI_STATUSES_IGNORE);
  const std::size_t n = f.planeSize();
  std::size_t a = 0, b = 0;
  for (int q = 0; q < Q; ++q) {
    if (cz[q] > 0) { std::copy_n(&recvDown_[a], n, f.plane(q, -1)); a += n; }
    if (cz[q] < 0) { std::copy_n(&recvUp_[b], n, f.plane(q, g_nz)); b += n; }
  }
}

void Domain::gather(const std::vector<double>& mine, std::vector<double>& all) {
  const int n = int(mine.size());
  std::vector<MPI_Request> rq;
  if (rank_ == 0) {
    all.resize(std::size_t(n) * size_);
    std::copy(mine.begin(), mine.end(), all.begin());
    rq.resize(size_ - 1);
    for (int r = 1; r < size_; ++r)
      MPI_Irecv(&all[std::size_t(r) * n], n, MPI_DOUBLE, r, 40, MPI_COMM_WORLD, &rq[r - 1]);
    MPI_Waitall(size_ - 1, rq.data(), MPI_STATUSES_IGNORE);
  } else {
    MPI_Send(mine.data(), n, MPI_DOUBLE, 0, 40, MPI_COMM_WORLD);
  }
}

// The root holds one slab at a time: images may be larger than its memory.
void Domain::writeSlices(const std::vector<float>& img, const char* name) {
  if (rank_ > 0) {
    MPI_Send(img.data(), int(img.size()), MPI_FLOAT, 0, 41, MPI_COMM_WORLD);
    return;
  }
  std::FILE* h = std::fopen(name, "wb");
  if (!h) return;
  std::fwrite(img.data(), sizeof(float), img.size(), h);
  std::vector<float> buf(img.size());
  for (int r = 1; r < size_; ++r) {
    MPI_Recv(buf.data(), int(buf.size()), MPI_FLOAT, r, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::fwrite(buf.data(), sizeof(float), buf.size(), h);
  }
  std::fclose(h);
}

double Domain::sum(double v) const {
  MPI_Allreduce(MPI_IN_PLACE, &v, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return v;
}

}  // namespace lb
