#pragma once
#include <mpi.h>
#include <vector>
#include "lattice.hpp"

namespace lb {

// ring of slabs along z
class Domain {
 public:
  static Domain& get();
  void exchange(Populations& f);
  void begin(Populations& f);
  void end(Populations& f);
  void gather(const std::vector<double>& mine, std::vector<double>& all);
  void writeSlices(const std::vector<float>& img, const char* name);
  double sum(double v) const;
  int rank() const { return rank_; }
  int size() const { return size_; }

 private:
  Domain();
  int rank_ = 0, size_ = 1, below_ = 0, above_ = 0;
  std::vector<double> sendUp_, sendDown_, recvUp_, recvDown_;
  MPI_Request rq_[4];
};

}  // namespace lb
