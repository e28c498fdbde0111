#ifndef UFV_MESH_H
#define UFV_MESH_H
#include <vector>
#include <cstddef>

const int NVAR = 5;

struct Vec3 {
  double x, y, z;
  Vec3() : x(0), y(0), z(0) {}
  Vec3(double a, double b, double c) : x(a), y(b), z(c) {}
};
inline double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// geometry and working data of a control volume
class Cell {
public:
  Cell() : vol_(0), wall_(0), dt_(0), lim_(1), part_(0), nf_(0) {}
  double volume() const { return vol_; }
  void setVolume(double v) { vol_ = v; }
  const Vec3& centre() const { return c_; }
  void setCentre(const Vec3& c) { c_ = c; }
  double wallDistance() const { return wall_; }
  void setWallDistance(double w) { wall_ = w; }
  double dt() const { return dt_; }
  void setDt(double d) { dt_ = d; }
  double limiter() const { return lim_; }
  void setLimiter(double l) { lim_ = l; }
  void addFace(int f) { if (nf_ < 8) face_[nf_++] = f; }
  int nFaces() const { return nf_; }
  int face(int i) const { return face_[i]; }
  int part() const { return part_; }
  void setPart(int p) { part_ = p; }
private:
  double vol_;
  Vec3 c_;
  double wall_, dt_, lim_;
  int part_, nf_;
  int face_[8];
};

class Face {
public:
  Face() : bc_(0), area_(0), l_(-1), on_(true), r_(-1) {}
  Face(int l, int r, double a, const Vec3& n, char bc) : bc_(bc), area_(a), l_(l), n_(n), on_(true), r_(r) {}
  char bc() const { return bc_; }
  double area() const { return area_; }
  int left() const { return l_; }
  int right() const { return r_; }
  const Vec3& normal() const { return n_; }
  bool active() const { return on_; }
private:
  char bc_;
  double area_;
  int l_;
  Vec3 n_;
  bool on_;
  int r_;
};

// description of a boundary patch
struct Patch {
  char type;
  double value[NVAR];
  bool viscous;
  int first, last;
};

class Mesh {
public:
  Mesh(int nx, int ny, int nz, int rank, int np);
  int nCells() const { return (int)cells_.size(); }
  int nOwn() const { return nown_; }
  int nFaces() const { return (int)faces_.size(); }
  Cell& cell(int i) { return cells_[i]; }
  const Cell& cell(int i) const { return cells_[i]; }
  const Face& face(int i) const { return faces_[i]; }
  int nColours() const { return (int)colour_.size() - 1; }
  int colourBegin(int c) const { return colour_[c]; }
  int colourEnd(int c) const { return colour_[c + 1]; }
  const std::vector<int>& sendList(int side) const { return send_[side]; }
  const std::vector<int>& recvList(int side) const { return recv_[side]; }
  const std::vector<Patch>& patches() const { return patches_; }
private:
  int nown_;
  std::vector<Cell> cells_;
  std::vector<Face> faces_;
  std::vector<int> colour_;
  std::vector<int> send_[2], recv_[2];
  std::vector<Patch> patches_;
};

// conserved state, interleaved: all variables of a cell together
class State {
public:
  explicit State(int n = 0) : n_(n), d_(n * NVAR) {}
  double& operator()(int c, int v) { return d_[c * NVAR + v]; }
  double operator()(int c, int v) const { return d_[c * NVAR + v]; }
  const double* at(int c) const { return &d_[c * NVAR]; }
  double* at(int c) { return &d_[c * NVAR]; }
  int size() const { return n_; }
private:
  int n_;
  std::vector<double> d_;
};

// two-dimensional table, first index fast as in the Fortran tool that writes it
class Table {
public:
  Table(int ni, int nj) : ni_(ni), nj_(nj), d_(ni * nj) {}
  double get(int i, int j) const { return d_[i + j * ni_]; }
  void set(int i, int j, double v) { d_[i + j * ni_] = v; }
  int ni() const { return ni_; }
  int nj() const { return nj_; }
private:
  int ni_, nj_;
  std::vector<double> d_;
};
#endif
