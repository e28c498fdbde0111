// Lennard-Jones mixture, slabs along z, velocity Verlet.
#include <mpi.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include "parallel.hpp"
#include "system.hpp"

using namespace md;

namespace {
double allSum(double x) {
  double r = 0.0;
  MPI_Allreduce(&x, &r, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return r;
}

// one factor for all ranks
double thermostat(double ekin, double natoms, double target) {
  double f = 1.0;
  if (env.rank == 0) {
    f = std::sqrt(1.0 + 0.1 * (target / (2.0 * ekin / (3.0 * natoms)) - 1.0));
  }
  MPI_Bcast(&f, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return f;
}

void profileZ(const Grid3<double> &g, std::vector<double> &p) {
  p.assign(g.nz(), 0.0);
#pragma omp parallel for
  for (int z = 0; z < g.nz(); ++z) {
    double s = 0.0;
    for (int y = 0; y < g.ny(); ++y)
      for (int x = 0; x < g.nx(); ++x) s += g(x, y, z);
    p[z] = s;
  }
}

void profileX(const Grid3<double> &g, std::vector<double> &p) {
  p.assign(g.nx(), 0.0);
  for (int x = 0; x < g.nx(); ++x)
    for (int z = 0; z < g.nz(); ++z)
      for (int y = 0; y < g.ny(); ++y)
        p[x] += g(x, y, z);
}
}  // namespace

int main(int argc, char **argv) {
  int prov;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &prov);
  MPI_Comm_rank(MPI_COMM_WORLD, &env.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &env.size);
  if (env.rank > 0) env.down = env.rank - 1;
  if (env.rank < env.size - 1) env.up = env.rank + 1;
  const int nside = argc > 1 ? std::atoi(argv[1]) : 14;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 30;

  System s(nside, 0.8, 2.5);
  const double natoms = allSum(s.nLocal());
  s.borders();
  s.buildCells();
  s.buildPairs();
  s.forces();
  Grid3<double> rho(64, 64, 48), filt(64, 64, 48);
  std::vector<double> pz, px, curve;
  std::vector<long> hist(32);
  std::vector<int> counts;
  double moved = 0.0;
  std::vector<std::vector<double>> map;
  const double dt = 0.002;
  MPI_Barrier(MPI_COMM_WORLD);
  const double t0 = MPI_Wtime();
  for (int n = 0; n < steps; ++n) {
    s.kick(0.5 * dt);
    s.drift(dt);
    if (n % 5 == 0) {
      s.migrate();
      s.borders();
      s.buildCells();
      s.buildPairs();
    }
    s.forces();
    s.kick(0.5 * dt);
    const double ek = allSum(s.kinetic());
    const double ep = allSum(s.potential);
    const double vir = allSum(s.virial);
    s.rescale(thermostat(ek, natoms, 1.0));
    if (n % 5 == 0) {
      s.record();
      s.density(rho);
      runningMeanX(rho, filt, 3);
      runningMeanZ(filt, rho, 3);
      sheet(rho, map);
      s.smooth(rho, filt);
      profileZ(filt, pz);
      profileX(filt, px);
      s.histogram(hist);
      s.forcesCells();
      moved = s.msd();
      s.reverseCounts(counts);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (env.rank == 0 && n % 10 == 0)
      std::printf("%4d ekin %.5f epot %.5f vir %.4f\n", n, ek / natoms, ep / natoms, vir / natoms);
  }
  s.msdCurve(curve);
  const double order = allSum(s.orderParameter());
  const double d = allSum(moved);
  if (env.rank == 0)
    std::printf("order %.4f msd %.3e rank0 %d excess %.4e, %.3f s\n", order, d, counts[0], s.excess,
                MPI_Wtime() - t0);
  MPI_Finalize();
  return 0;
}
