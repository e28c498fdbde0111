#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include "solver.h"

int main(int argc, char** argv) {
  Parallel par(&argc, &argv);
  int steps = argc > 1 ? std::atoi(argv[1]) : 6;
  Mesh mesh(32, 32, 24, par.rank(), par.size());
  Rusanov rus;
  Central cen;
  const FluxScheme& fs = argc > 2 ? (const FluxScheme&)cen : (const FluxScheme&)rus;
  std::vector<double> inlet(64 * NVAR, 0.0);
  if (par.rank() == 0)
    for (size_t i = 0; i < inlet.size(); ++i) inlet[i] = 0.1 * i;
  par.spreadInlet(inlet);
  double conf[2] = {0, 0};
  for (int i = 0; i < 2; ++i)
    MPI_Bcast(&conf[i], 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  Solver sol(mesh, par, fs, omp_get_max_threads());
  sol.init();
  par.wait();
  const double t0 = MPI_Wtime();
  for (int n = 0; n < steps; ++n) {
    sol.step(n);
    if (par.rank() == 0 && n % 2 == 0) std::printf("%4d %.6e %.6e\n", n, sol.residual(), sol.force());
  }
  if (par.rank() == 0) std::printf("time %.3f\n", MPI_Wtime() - t0);
  return 0;
}
