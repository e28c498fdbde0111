#pragma once
#include <mpi.h>
#include "field.hpp"
namespace tok {
class ZComm {
 public:
  ZComm(MPI_Comm comm, Grid& g) : comm_(comm) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    up_ = (rank_ + 1) % size_;
    down_ = (rank_ + size_ - 1) % size_;
    const int base = g.nz / size_, rest = g.nz % size_;
    g.nzLocal = base + (rank_ < rest ? 1 : 0);
    g.zOffset = rank_ * base + (rank_ < rest ? rank_ : rest);
  }
  void exchange(Field& f) const {
    const int n = static_cast<int>(f.planeSize());
    const int last = f.planes() - 2;
    MPI_Sendrecv(f.plane(last), n, MPI_DOUBLE, up_, 11, f.plane(0), n, MPI_DOUBLE, down_, 11, comm_,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(f.plane(1), n, MPI_DOUBLE, down_, 12, f.plane(last + 1), n, MPI_DOUBLE, up_, 12, comm_,
                 MPI_STATUS_IGNORE);
  }
  void begin(Field& f) {
    const int n = static_cast<int>(f.planeSize());
    const int last = f.planes() - 2;
    MPI_Irecv(f.plane(0), n, MPI_DOUBLE, down_, 21, comm_, &req_[0]);
    MPI_Irecv(f.plane(last + 1), n, MPI_DOUBLE, up_, 22, comm_, &req_[1]);
    MPI_Isend(f.plane(last), n, MPI_DOUBLE, up_, 21, comm_, &req_[2]);
    MPI_Isend(f.plane(1), n, MPI_DOUBLE, down_, 22, comm_, &req_[3]);
  }
  void finish() { MPI_Waitall(4, req_, MPI_STATUSES_IGNORE); }
  // Upstream ghost plane on sheared flux surfaces: row iy of the neighbour
  // lands in row rowOf[iy] of ours.
  void shiftSheared(Field& f, const std::vector<int>& rowOf) const {
    const std::ptrdiff_t ld = f.ld();
    const int last = f.planes() - 2;
    for (int iy = 1; iy < f.rows() - 1; ++iy) {
      MPI_Sendrecv(f.plane(last) + ld * iy, f.ld(), MPI_DOUBLE, up_, iy, f.plane(0) + ld * rowOf[iy], f.ld(),
                   MPI_DOUBLE, down_, iy, comm_, MPI_STATUS_IGNORE);
    }
  }
  double sum(double v) const {
    double s = 0.0;
    MPI_Allreduce(&v, &s, 1, MPI_DOUBLE, MPI_SUM, comm_);
    return s;
  }
  void sum(double* v, int n) const { MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_DOUBLE, MPI_SUM, comm_); }
  int rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm comm() const { return comm_; }
 private:
  MPI_Comm comm_;
  int rank_ = 0, size_ = 1, up_ = 0, down_ = 0;
  MPI_Request req_[4];
};
}  // namespace tok
