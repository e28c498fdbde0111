#ifndef COMM_HPP
#define COMM_HPP
#include <mpi.h>
#include <vector>
#include "field.hpp"

namespace hyd {

// Thin layer over MPI; the domain is cut into slabs along i.
class Comm {
 public:
  static Comm &world();
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool root() const { return rank_ == 0; }
  double min(double x) const;
  double max(double x) const;
  double sum(double x) const;
  void barrier() const { MPI_Barrier(comm_); }

  void fillGhosts(std::vector<Field<double> *> &f);
  void startGhosts(Field<double> &f);
  void finishGhosts(Field<double> &f);
  void gatherColumn(const std::vector<double> &mine, std::vector<double> &all);
  void readParams(double *p, int n);

 private:
  Comm();
  MPI_Comm comm_;
  int rank_, size_;
  int left_, right_;
  std::vector<double> sbuf_[2], rbuf_[2];
  MPI_Request req_[4];
};

}  // namespace hyd
#endif
