#include <mpi.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "mg.hpp"

using namespace mg;

static std::unique_ptr<Smoother> make(const char* s) {
  if (!std::strcmp(s, "jacobi")) return std::unique_ptr<Smoother>(new Jacobi);
  if (!std::strcmp(s, "gs")) return std::unique_ptr<Smoother>(new GaussSeidel);
  if (!std::strcmp(s, "linez")) return std::unique_ptr<Smoother>(new LineZ);
  if (!std::strcmp(s, "linex")) return std::unique_ptr<Smoother>(new LineX);
  return std::unique_ptr<Smoother>(new RedBlack);
}

// parameters from the root to the others
static void distribute(int* par, int n) {
  if (topo::rank == 0) {
    for (int p = 1; p < topo::size; ++p) MPI_Send(par, n, MPI_INT, p, 1, MPI_COMM_WORLD);
  } else {
    MPI_Recv(par, n, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  int prov;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &prov);
  topo::setup();
  int par[3] = {argc > 1 ? std::atoi(argv[1]) : 64, argc > 2 ? std::atoi(argv[2]) : 4, argc > 3 ? std::atoi(argv[3]) : 2};
  distribute(par, 3);
  const char* sets[][2] = {{"redblack", "gs"}, {"jacobi", "linez"}, {"linex", "redblack"}};
  MPI_Barrier(MPI_COMM_WORLD);
  for (auto& set : sets) {
    Solver s(par[0], par[1], make(set[0]), make(set[1]));
    s.source();
    const double t0 = MPI_Wtime();
    double r = 0.0, r0 = 0.0;
    std::vector<double> q;
    std::vector<int> sc;
    std::vector<float> img;
    for (int c = 0; c < par[2]; ++c) {
      r = s.cycle();
      if (c == 0) r0 = r;
      s.wallFluxes(q);
      s.shade(img);
      sc = s.signChanges();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (topo::rank == 0)
      std::printf("%-9s %-9s res %.4e -> %.4e  q %.3e  sc %d  %.3f s\n", set[0], set[1], r0, r, q[0], sc[0],
                  MPI_Wtime() - t0);
  }
  MPI_Finalize();
  return 0;
}
