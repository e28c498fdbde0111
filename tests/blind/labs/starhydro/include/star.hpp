#pragma once
#include <mpi.h>
#include <memory>
#include <string>
#include <vector>
#include "Eos.hpp"
#include "Field.hpp"

namespace star {

struct Params {
    bool useTable = true;
    double cfl = 0.35;
    int n = 128;
    double box = 4.0;
    int nsteps = 200;
    double eExpl = 6.0;
    bool verbose = true;
    double gconst = 1.0;
};

/// Slabs in z.
class Domain {
public:
    Domain(int n, double box);
    void exchange(Field3<double>& f) const;
    void begin(Field3<double>* f, int nf);
    void finish();
    void sync() const { MPI_Barrier(MPI_COMM_WORLD); }
    bool first() const { return lo_ == MPI_PROC_NULL; }
    bool last() const { return hi_ == MPI_PROC_NULL; }
    double enclosedBelow(double mine) const;
    int rank, size, n, nz, z0;
    double h;
    int lo_, hi_;

private:
    std::vector<MPI_Request> req_;
};

struct BurnZone {
    double X[7];
    double rho, T;
    double edot;
    double tburn, dtlast;
    int nsub, flags;
};

struct Tracer {
    bool alive;
    double x;
    bool burnt;
    double y;
    int id;
    double z;
    char kind;
    double tmax;
};

struct Flux5 {
    double f[5];
};

class Hydro {
public:
    Hydro(const Params& p, Domain& d);
    double timestep();
    void step(double dt, const Field3<double>& phi);
    void burn(double dt);
    void moveTracers(double dt);
    Field3<double> u[5], pr, temp;
    std::vector<BurnZone> zones;
    std::vector<Tracer> tracers;

private:
    template <int D> void sweep(double dtdx);
    void primitives();
    void floors();
    void gravitySource(double dt, const Field3<double>& phi);
    void migrate();
    void deposit(double dt);
    const Params& par_;
    Domain& dom_;
    std::unique_ptr<EosBase> eos_;
    Field3<Flux5> fl_;
};

class Multigrid {
public:
    explicit Multigrid(const Domain& d);
    int solve(const Field3<double>& rho, double gconst, double tol);
    Field3<double>& phi() { return lev_[0].phi; }

private:
    struct Level {
        Field3<double> phi, rhs, res;
        double h;
    };
    void vcycle(std::size_t l);
    void smooth(Level& L, int n);
    double residual(Level& L);
    void restrictTo(const Level& f, Level& c);
    void prolong(const Level& c, Level& f);
    void bottom(Level& L);
    void boundary(double mass);
    const Domain& dom_;
    std::vector<Level> lev_;
};

struct Totals {
    double mass, mom, etot, epot, enuc;
};
Totals totals(const Hydro& hy, const Field3<double>& phi, const Domain& d);
void radialProfile(const Hydro& hy, const Domain& d, int step);

}  // namespace star
