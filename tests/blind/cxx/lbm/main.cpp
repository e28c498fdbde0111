#include <mpi.h>
#include <omp.h>
#include <cstdio>
#include <cstdlib>
#include "domain.hpp"

namespace lb {
int g_nz;  // planes of this rank
}

int main(int argc, char** argv) {
  int prov;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &prov);
  auto& dom = lb::Domain::get();
  const int nx = argc > 1 ? std::atoi(argv[1]) : 64;
  const int ny = argc > 2 ? std::atoi(argv[2]) : 64;
  lb::g_nz = argc > 3 ? std::atoi(argv[3]) : 62;
  const int steps = argc > 4 ? std::atoi(argv[4]) : 6;

  lb::Model m(nx, ny, lb::g_nz, 0.6);
  std::vector<lb::Probe> probes;
  for (int k = 0; k < 4; ++k) probes.push_back({'p', 0.2 * (k + 1), 0.5, 0.5, true, 0.0});
  std::vector<long> fluid(omp_get_max_threads());
  std::vector<double> col, all;
  MPI_Barrier(MPI_COMM_WORLD);
  const double t0 = MPI_Wtime();
  double warm = t0;
  for (int step = 0; step < steps; ++step) {
    m.collide();
    if (step % 2 == 0) {
      dom.exchange(m.f);
      m.streamAll();
    } else {
      dom.begin(m.f);
      m.streamInner();
      dom.end(m.f);
      m.streamEdge();
    }
    m.bounceBack();
    m.lid(0.05);
    m.f.swap(m.g);
    dom.exchange(m.f);
    m.moments();
    m.force(1e-5);
    const double res = m.residual();
    m.filterDensity();
    m.fluidPerThread(fluid);
    m.probes(probes);
    const double mass = dom.sum(m.mass());
    const double ens = dom.sum(m.enstrophy());
    m.column(col);
    dom.gather(col, all);
    MPI_Barrier(MPI_COMM_WORLD);
    if (step == 1) {
      MPI_Barrier(MPI_COMM_WORLD);
      warm = MPI_Wtime();
    }
    if (dom.rank() == 0)
      std::printf("%3d mass %.8f ens %.4e res %.3e u %.4e\n", step, mass, ens, res, all[0]);
  }
  std::vector<float> img;
  m.sliceXY(lb::g_nz / 2, img);
  dom.writeSlices(img, "/dev/null");
  if (dom.rank() == 0)
    std::printf("fluid %ld probe %.4f, %.3f s (%.3f s)\n", fluid[0], probes[0].last, MPI_Wtime() - t0,
                MPI_Wtime() - warm);
  MPI_Finalize();
  return 0;
}
