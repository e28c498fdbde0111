#include "comm.hpp"

namespace amr {

Communicator::Communicator(MPI_Comm c) : comm_(c) {
  MPI_Comm_rank(c, &rank_);
  MPI_Comm_size(c, &size_);
}

void Communicator::isend(const double* p, int n, int to, int tag) {
  MPI_Request r;
  MPI_Isend(const_cast<double*>(p), n, MPI_DOUBLE, to, tag, comm_, &r);
  rq_.push_back(r);
}

void Communicator::irecv(double* p, int n, int from, int tag) {
  MPI_Request r;
  MPI_Irecv(p, n, MPI_DOUBLE, from, tag, comm_, &r);
  rq_.push_back(r);
}

void Communicator::waitAll() {
  MPI_Waitall((int)rq_.size(), rq_.data(), MPI_STATUSES_IGNORE);
  rq_.clear();
}

void Communicator::barrier() const { MPI_Barrier(comm_); }

// number of tagged cells of every rank
std::vector<int> Communicator::allCounts(int mine) const {
  std::vector<int> n(size_);
  n[rank_] = mine;
  if (rank_ == 0) {
    for (int p = 1; p < size_; ++p) recv(n[p], p, 1);
    for (int p = 1; p < size_; ++p) send(n, p, 2);
  } else {
    send(mine, 0, 1);
    recv(n, 0, 2);
  }
  return n;
}

void Communicator::broadcast(std::vector<double>& v) const {
  int n = (int)v.size();
  MPI_Bcast(&n, 1, MPI_INT, 0, comm_);
  v.resize(n);
  MPI_Bcast(v.data(), n, MPI_DOUBLE, 0, comm_);
}

// column sums from the lowest rank upwards
void Communicator::accumulateUp(double* x, int n) const {
  std::vector<double> b(n);
  if (rank_ > 0) {
    MPI_Recv(b.data(), n, MPI_DOUBLE, rank_ - 1, 3, comm_, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; ++i) x[i] += b[i];
  }
  if (rank_ < size_ - 1) MPI_Send(x, n, MPI_DOUBLE, rank_ + 1, 3, comm_);
}

} // namespace amr
