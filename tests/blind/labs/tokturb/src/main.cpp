#include <mpi.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include "diag.hpp"
#include "model.hpp"

using namespace tok;

namespace {

struct Options {
  Grid grid;
  Params par;
  int steps = 100, report = 20, tracers = 200000;
  double dt = 0.005;
  std::string scheme = "ab3", source = "gauss";
};

Options parse(int argc, char** argv) {
  Options o;
  const std::pair<const char*, int*> ints[] = {{"-nx", &o.grid.nx}, {"-ny", &o.grid.ny}, {"-nz", &o.grid.nz},
                                               {"-steps", &o.steps}, {"-tracers", &o.tracers}};
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string k = argv[i];
    const char* v = argv[i + 1];
    for (auto& e : ints)
      if (k == e.first) *e.second = std::atoi(v);
    if (k == "-dt") o.dt = std::atof(v);
    if (k == "-scheme") o.scheme = v;
    if (k == "-source") o.source = v;
  }
  if (o.grid.nx > kSpecPitch) o.grid.nx = kSpecPitch;
  return o;
}

void perturb(const Grid& g, State& s) {
  for (int ix = 1; ix <= g.nx; ++ix)
    for (int iy = 1; iy <= g.ny; ++iy)
      for (int iz = 1; iz <= g.nzLocal; ++iz) {
        const double x = g.x(ix) / g.lx, y = 2.0 * M_PI * iy / g.ny;
        const double z = 2.0 * M_PI * (iz + g.zOffset) / g.nz;
        s.den(ix, iy, iz) = 1e-2 * std::sin(M_PI * x) * (std::cos(3 * y + z) + 0.5 * std::sin(5 * y));
        s.vor(ix, iy, iz) = 1e-2 * std::sin(M_PI * x) * std::cos(2 * y - z);
      }
}
}  // namespace
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Options o = parse(argc, argv);
  ZComm zc(MPI_COMM_WORLD, o.grid);
  const Grid& g = o.grid;
  HWModel model(g, o.par, zc, makeSource(o.source, g, o.par.srcAmp));
  auto integ = makeIntegrator(o.scheme, g);
  if (!integ) MPI_Abort(MPI_COMM_WORLD, 1);
  State s(g);
  perturb(g, s);
  Diagnostics diag(g, zc, o.tracers);
  MPI_Barrier(MPI_COMM_WORLD);
  const double t0 = MPI_Wtime();
  double t = 0.0, dt = o.dt, tStep = 0.0;
  for (int it = 1; it <= o.steps; ++it) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double a = MPI_Wtime();
    integ->step(model, s, dt);
    model.sponge(s);
    diag.pushTracers(model.phi(), dt);
    diag.binGradients(model.phi());
    tStep += MPI_Wtime() - a;
    t += dt;
    const Totals tot = diag.totals(s, model.phi());
    if (!(tot.energy < 1e12)) dt *= 0.5;
    if (it % o.report == 0) {
      model.solver().resetPower();
      if (zc.rank() == 0)
        std::printf("%6d t=%8.3f E=%.6e W=%.6e flux=%.4e P1=%.3e\n", it, t, tot.energy, tot.enstrophy, tot.flux, model.solver().power()[1]);
    }
  }
  const double wall = MPI_Wtime() - t0;
  diag.writeProfile(s.den, "density.dat");
  if (zc.rank() == 0) std::printf("steps %d, wall %.3f s, in steps %.3f s\n", o.steps, wall, tStep);
  MPI_Finalize();
  return 0;
}
