#pragma once
#include <array>
#include <memory>
#include "linalg.hpp"
namespace fc {
using Raster = Grid2<double, ColMajor>;
void smoothRaster(Raster& g, int w);

/* dense boundary operator standing for the far field */
class FarField {
 public:
  explicit FarField(const Mesh& m);
  void update(const Vec& d);
  double energy(const Vec& u) const;
 private:
  const Mesh& mesh_;
  int nb_;
  Vec g_, w_, s_;
};

class Fracture {
 public:
  Fracture(const Config& cfg, const Mesh& mesh, MPI_Comm comm);
  void loadStep(int step);
  double reaction();
  double crackLength();
  std::array<double, 6> extrema() const;
 private:
  void assembleElastic(double disp);
  void assemblePhase();
  void strains();
  double updateHistory();
  void nodalDriving();
  void averageOnRaster();
  void fatigue(int step);
  const Config& cfg_;
  const Mesh& mesh_;
  RowComm rcu_, rcd_;
  Csr<double> K_, D_;
  Vec f_, fd_, u_, d_, gdeg_, davg_, drive_, nodal_, ip_;
  std::vector<ElemState> st_;
  std::vector<IntPoint> ips_;
  std::vector<int> topElem_;
  std::vector<std::pair<int, double>> bc_;
  std::vector<Vec> psiHist_;
  Vec fat_;
  std::unique_ptr<Degradation> deg_;
  std::unique_ptr<TwoLevel> mu_;
  std::unique_ptr<LevelSsor> md_;
  Raster raster_;
  FarField far_;
  long tension_ = 0;
};
}  // namespace fc
