#pragma once
#include <array>
#include <string>
#include <vector>
#include "tensor.hpp"

namespace qc {

struct Atom {
  std::array<double, 3> r;
  double z;
  std::string name;
};

struct Shell {
  std::array<double, 3> r{};
  std::string label;
  std::array<double, 6> exps{}, coef{};
  int l = 0, atom = 0;
  double norm = 1.0;
  double width = 0.0;
};

struct ShellPair {
  bool significant;
  double bound;
  short i;
  double dist2;
  bool same;
  int j;
  char cls;
  double k;
};

struct alignas(64) Counter {
  long done = 0;
  long skipped = 0;
};

struct Stats {
  std::vector<long> quartets; // by thread
  explicit Stats(int n) : quartets(n, 0) {}
};

class Basis {
public:
  explicit Basis(index n);
  index size() const { return static_cast<index>(shells_.size()); }
  const Shell& shell(index i) const { return shells_[i]; }
  const std::vector<ShellPair>& pairs() const { return pairs_; }
  const std::vector<Atom>& atoms() const { return atoms_; }
  index near(double cut) const;
private:
  std::vector<Shell> shells_;
  std::vector<ShellPair> pairs_;
  std::vector<Atom> atoms_;
};

void overlap(const Basis& b, Matrix<double>& s);
void kinetic(const Basis& b, Matrix<double>& t);
void potential(const Basis& b, Matrix<double>& v);
void repulsion(const Basis& b, Tensor<double, 4>& g, Stats& st);
void schwarz(const Basis& b, Matrix<double>& q);

void fock(const Tensor<double, 4>& g, const Matrix<double>& h, const Matrix<double>& d, Matrix<double>& f);
void exchange_scatter(const Tensor<double, 4>& g, const Matrix<double>& d, Matrix<double>& k, double cut);
void density(const Matrix<double>& c, index nocc, Matrix<double>& d);
double energy(const Matrix<double>& h, const Matrix<double>& f, const Matrix<double>& d);
void orthogonalise(Matrix<double>& c, const Matrix<double>& s);

template <class R>
void damp(Matrix<double>& d, const Matrix<double>& old, R rule) {
  for (index i = 0; i < d.rows(); ++i)
    for (index j = 0; j < d.cols(); ++j) d(i, j) = rule(d(i, j), old(i, j));
}

double populations(const std::vector<std::vector<double>>& d, const Matrix<double>& s, std::vector<double>& pop);

double mp2(const Tensor<double, 4>& g, const Matrix<double>& c, const std::vector<double>& e, index nocc);
double grid_density(const Basis& b, const Matrix<double>& d, index npts);

} // namespace qc
