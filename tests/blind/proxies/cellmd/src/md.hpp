#pragma once
#include <mpi.h>
#include <omp.h>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace md {

struct Atom {
    bool   frozen = false;
    double r[3], v[3], f[3];
    bool   ghost = false;
    double r0[3];              // position at the last list build
    char   type = 0;
    double q = 0, m = 1;
    int    id = 0;
    double epot = 0;
    int    img[3] = {0, 0, 0};
    double vold[3] = {0, 0, 0};
};

struct Params {
    double rc = 2.5, skin = 0.3, dt = 0.002, temp = 0.8, rho = 0.8;
    int    cells = 12, steps = 40, every = 10;
    bool   ewald = true;
    long   seed = 4711;
};

struct Sums { double pe = 0, ke = 0, vir = 0, ekspace = 0; };

class System {
public:
    System(MPI_Comm c, const Params &p);
    void create();
    // domain.cpp
    void migrate();
    void borders();
    void update_ghosts();
    // neighbor.cpp
    bool need_rebuild() const;
    void build_list();
    // force.cpp
    void force();
    void kspace();
    void correct_charges();
    // integrate.cpp
    void half_kick();
    void drift();
    void thermostat();
    void reduce();
    void step(int it);

    MPI_Comm comm;
    Params   par;
    int      rank, size, lo, hi, nlocal = 0, nghost = 0;
    long     natoms = 0;
    double   box[3], zlo, zhi;
    std::vector<Atom>   at;            // local atoms, then ghosts
    std::vector<int>    sendlist[2];
    std::vector<double> sendshift[2];
    int      nrecv[2] = {0, 0};
    std::vector<int>    nstart, nlist;
    std::vector<double> fpriv;         // thread copies of the forces
    std::vector<std::array<double,3>> kvec;
    std::vector<double> kfac;
    Sums     sum;
    double   scratch_rsq = 0;
    int      nbuild = 0;
};

inline double pbc(double d, double l)
{
    if (d > 0.5*l) d -= l;
    else if (d < -0.5*l) d += l;
    return d;
}

} // namespace md
