#pragma once
#include <array>
#include <vector>
namespace fc {
struct Config {
  bool quiet = false;
  double E = 210.0, nu = 0.3;
  bool plane_stress = false;
  double Gc = 2.7e-3, ell = 0.03, dumax = 6e-3;
  int n = 240, steps = 20, stagger = 12, window = 32, raster = 600;
  bool fatigue = true;
};
struct Node {
  double x, y;
  int id;
};
/* linear triangle: shape gradients and connectivity, all that assembly needs */
struct TriGeom {
  int n[3];
  int colour;
  double b[3], c[3], area;
};
/* everything known about an element during the staggered iteration */
struct ElemState {
  std::array<double, 9> C{};
  std::array<double, 3> strain{}, stress{}, strain0{};
  std::array<double, 4> eig{};
  double psi = 0, H = 0, Hprev = 0, wpl = 0, temperature = 293.0;
  std::array<double, 3> back{};
  int material = 0, owner = 0;
};
/* three per element */
struct IntPoint {
  bool cracked = false;
  double w = 0;
  char branch = 0;
  double gamma = 0;
  int elem = -1;
  double peak = 0;
};
class Degradation {
 public:
  virtual ~Degradation() = default;
  virtual double g(double d) const = 0;
};
class QuadraticDegradation final : public Degradation {
 public:
  double g(double d) const override { return (1 - d) * (1 - d) + 1e-6; }
};
class Mesh {
 public:
  explicit Mesh(const Config& cfg);
  int nnode() const { return static_cast<int>(nodes.size()); }
  int nelem() const { return static_cast<int>(tri.size()); }
  std::vector<std::vector<int>> nodeGraph() const;
  std::vector<Node> nodes;
  std::vector<TriGeom> tri;
  std::vector<std::vector<int>> byColour;
  std::vector<int> bottom, top, boundary;
 private:
  void colourElements();
};
}  // namespace fc
