// fem.h -- nonlinear heat conduction, bilinear quadrilaterals.
// Part of the THERMOS package.
#ifndef FEM_H_INCLUDED
#define FEM_H_INCLUDED

#include <cstddef>
#include <vector>

typedef std::vector<double> dvec;
typedef std::vector<int> ivec;

// ---- mesh -------------------------------------------------------------

struct Node
{
    double x, y;
    double T;            // temperature
    double Told;
    double flux[2];
    double source;
    int    globalId;
    int    bc;           // 1 = prescribed temperature
    double bcValue;
    double hist[8];
};

struct Element
{
    bool   active;
    double k;            // conductivity
    char   material;
    double area;
    short  colour;
    int    node[4];
    char   region;
    double qtot;
};

struct MeshOptions
{
    char   type;
    double grading;
    char   order;
    double jitter;
    bool   periodic;
};

class Mesh
{
public:
    Mesh(int nx, int ny, const MeshOptions &opt);
    size_t nNodes() const { return nodes.size(); }
    size_t nElems() const { return elems.size(); }
    int nx, ny;          // local elements
    int nColours;
    std::vector<Node>    nodes;
    std::vector<Element> elems;
    std::vector<ivec>    elemsOfColour;
    void colour();
private:
    void build(const MeshOptions &opt);
};

// ---- dense ------------------------------------------------------------

// column major, as LAPACK wants it
class Dense
{
public:
    Dense(int nr = 0, int nc = 0) : nr_(nr), nc_(nc), a_(size_t(nr) * nc, 0.0) {}
    double &operator()(int i, int j)       { return a_[size_t(j) * nr_ + i]; }
    double  operator()(int i, int j) const { return a_[size_t(j) * nr_ + i]; }
    int rows() const { return nr_; }
    int cols() const { return nc_; }
    double *col(int j) { return &a_[size_t(j) * nr_]; }
    void zero() { a_.assign(a_.size(), 0.0); }
private:
    int nr_, nc_;
    dvec a_;
};

// several nodal vectors, the components of a node side by side
class MultiVec
{
public:
    MultiVec(size_t n, int nv) : n_(n), nv_(nv), v_(n * nv, 0.0) {}
    double &at(size_t node, int c)       { return v_[node * nv_ + c]; }
    double  at(size_t node, int c) const { return v_[node * nv_ + c]; }
    size_t size() const { return n_; }
    int nvec() const { return nv_; }
private:
    size_t n_;
    int nv_;
    dvec v_;
};

// ---- sparse -----------------------------------------------------------

class Csr
{
public:
    void pattern(const Mesh &m);
    void zero();
    void add(int i, int j, double v);
    void mult(const dvec &x, dvec &y) const;
    void diagonal(dvec &d) const;
    int n;
    ivec ptr, ind;
    dvec val;
private:
    int find(int i, int j) const;
};

class Dist;

// assembly.cpp
void conductivity(Mesh &m);
void elementMatrix(const Mesh &m, const Element &e, double ke[4][4], double fe[4]);
void assembleMatrix(const Mesh &m, Csr &A);
void assembleLoad(const Mesh &m, dvec &f);
void assembleCapacity(const Mesh &m, dvec &c);
void applyBc(const Mesh &m, Csr &A, dvec &f);

// cg.cpp
int solveCg(const Csr &A, Dist &D, const dvec &b, dvec &x, double tol, int maxit);
void defl(const MultiVec &V, Dist &D, const dvec &r, dvec &c);
void smoothVectors(MultiVec &V, int sweeps);
void orthogonalise(MultiVec &V, const Dist &D);
void expand(const MultiVec &V, const dvec &c, dvec &y);

// post.cpp
double meanTemperature(const Mesh &m);
double maxChange(const Mesh &m);
void recoverFlux(Mesh &m);
void raster(const Mesh &m, Dense &img);
void centre(Dense &S);
void normalise(Dense &S);
void covariance(const Dense &snap, Dense &C);
void project(const Dense &snap, const Dense &C, Dense &out);
void statistics(const Mesh &m, Dist &D, std::vector<long> &hist);

#endif
