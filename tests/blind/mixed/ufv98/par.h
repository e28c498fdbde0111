#ifndef UFV_PAR_H
#define UFV_PAR_H
#include <mpi.h>
#include <vector>
#include "mesh.h"

class Parallel {
public:
  Parallel(int* argc, char*** argv);
  ~Parallel();
  int rank() const { return rank_; }
  int size() const { return size_; }
  int neighbour(int side) const { return nb_[side]; }
  double sum(double x) const;
  double min(double x) const;
  void sum(double* x, int n) const;
  void wait() const;
  void exchange(const Mesh& m, State& u) const;
  void exchangeScalar(const Mesh& m, std::vector<double>& s) const;
  void startExchange(const Mesh& m, State& u);
  void finishExchange(const Mesh& m, State& u);
  void gatherForces(const double* f, int n, std::vector<double>& all) const;
  void spreadInlet(std::vector<double>& t) const;
  void passCount(int& n) const;
private:
  int rank_, size_, nb_[2];
  std::vector<double> sb_[2], rb_[2];
  MPI_Request rq_[4];
};
#endif
