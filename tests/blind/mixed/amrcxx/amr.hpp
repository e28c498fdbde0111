#ifndef AMR_AMR_HPP
#define AMR_AMR_HPP
#include "array.hpp"
#include "comm.hpp"
#include <string>

namespace amr {

enum { RHO, MX, MY, MZ, EN, NV };
const int NG = 1;

// tracer with the patch it is in
struct Tracer {
  char alive;
  double x;
  bool out;
  double y;
  short level;
  double z;
  bool tag;
};

struct Tag { int i, j, k, patch; };

// diagnostics of a zone used for tagging and output
struct Zone {
  double grad, curl, div, temp, entropy, cool;
  int flag, age;
};

struct Patch {
  int id, level;
  Box box;
  Array3<double> u[NV], du[NV];
  Array3<Zone> zone;
  bool fine;
  long work;
};

// per thread counters of a level
struct Work { long zones, tags, fixes; };

class Level {
public:
  Level(int l, Communicator& c) : l_(l), comm_(c) {}
  void build(int np, int n);
  void fillLocal();
  void exchange();
  void exchangeBegin();
  void exchangeEnd();
  int tagZones(double thr, std::vector<Tag>& tags);
  void prolong(const Patch& c, Patch& f) const;
  void restrictTo(const Patch& f, Patch& c) const;
  std::vector<Patch>& patches() { return p_; }
  double mass() const;
  void loads(std::vector<Work>& w) const;
private:
  int l_;
  Communicator& comm_;
  std::vector<Patch> p_;
  std::vector<double> sb_, rb_;
};

double waveSpeed(const Patch& p);
void sweepX(Patch& p, double dtdx);
void sweepY(Patch& p, double dtdx);
void sweepZ(Patch& p, double dtdx);
void diagnose(Patch& p);
void cool(Patch& p, double dt);
void apply(Patch& p);
void gravity(std::vector<Patch>& ps, double g);
double project(const Patch& p, std::vector<double>& img, int n);
void moveTracers(std::vector<Tracer>& t, double dt);

} // namespace amr
#endif
