// 2-d Euler equations, dimensionally split HLL, slabs along i.
#include <mpi.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include "block.hpp"

using namespace hyd;

static double kinetic(const Cons &c) {
  return 0.5 * (c.q[MX] * c.q[MX] + c.q[MY] * c.q[MY]) / c.q[RHO];
}

static void report(const Block &b, int step, double t, double ms) {
  const Comm &c = Comm::world();
  // conserved totals
  const double m = c.sum(b.total(RHO));
  const double e = c.sum(b.total(EN));
  const double k = c.sum(b.total(kinetic));
  if (c.root() && step % 5 == 0)
    std::printf("%5d t=%.4e m=%.8e e=%.8e k=%.4e smax=%.3f\n", step, t, m, e, k, ms);
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  Comm &c = Comm::world();
  double par[5] = {256, 256, 20, 0.4, 0.1};
  if (c.root())
    for (int k = 1; k < argc && k <= 5; ++k) par[k - 1] = std::atof(argv[k]);
  c.readParams(par, 5);
  const int nig = static_cast<int>(par[0]), nj = static_cast<int>(par[1]);
  const int nsteps = static_cast<int>(par[2]);

  EosOptions eo = {true, 1.4, false, 1e-10, 'i'};
  IdealGas gas(eo);
  const int ni = nig / c.size();
  Block b(ni, nj, ni * c.rank(), 1.0 / nig, 1.0 / nj, &gas);
  b.initBlast(nig);
  b.ghosts();

  c.barrier();
  const double t0 = MPI_Wtime();
  double t = 0.0;
  std::vector<double> prof, all;
  std::vector<int> shocks;
  for (int step = 0; step < nsteps; ++step) {
    b.primitives();
    const double smax = b.waveSpeed();
    const double dt = c.min(b.timeStep(par[3]));
    b.smoothPressure();
    b.dilateShock();
    b.shockCells(shocks);
    b.moveTracers(dt);
    if (step % 2 == 0) {
      b.ghosts();
      b.sweepX(dt);
      b.sweepY(dt);
    } else {
      b.sweepY(dt);
      b.ghosts();
      b.sweepX(dt);
    }
    b.gravity(dt, par[4]);
    b.ghosts();
    t += dt;
    report(b, step, t, smax);
    const double xm = b.tracerMeanX();
    (void)xm;
    c.barrier();
    if (step % 10 == 9) {
      b.profile(prof);
      c.gatherColumn(prof, all);
    }
  }
  c.barrier();
  if (c.root()) std::printf("%d steps in %.3f s\n", nsteps, MPI_Wtime() - t0);
  MPI_Finalize();
  return 0;
}
