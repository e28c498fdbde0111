#include <omp.h>
#include <cstdio>
#include <cstdlib>
#include <string>
#include "fracture.hpp"

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  fc::Config cfg;
  for (int a = 1; a + 1 < argc; a += 2) {
    const std::string k = argv[a];
    const double v = std::atof(argv[a + 1]);
    if (k == "-n") cfg.n = int(v);
    if (k == "-steps") cfg.steps = int(v);
    if (k == "-raster") cfg.raster = int(v);
    if (k == "-quiet") cfg.quiet = v != 0;
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    const fc::Mesh mesh(cfg);
    if (!rank)
      std::printf("%d nodes, %d elements, %zu colours, %d threads\n", mesh.nnode(), mesh.nelem(), mesh.byColour.size(),
                  omp_get_max_threads());
    fc::Fracture model(cfg, mesh, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    const double t0 = MPI_Wtime();
    for (int s = 0; s < cfg.steps; ++s) model.loadStep(s);
    if (!rank) std::printf("%.2f s\n", MPI_Wtime() - t0);
  }
  MPI_Finalize();
  return 0;
}
