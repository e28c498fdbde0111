// flags: -fopenmp
// The main thread alone calls MPI, inside and outside of the region; threads read the clock and their rank.
#include <mpi.h>
#include <omp.h>
#include <stdexcept>
#include <vector>

double step(std::vector<double> &x, double *when) {
  double mine = 0.0, all = 0.0;
#pragma omp parallel
  {
    const int t = omp_get_thread_num();
    when[t] = MPI_Wtime();
#pragma omp for reduction(+ : mine)
    for (std::size_t i = 0; i < x.size(); ++i)
      mine += x[i];
#pragma omp masked
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (t == 0)
      MPI_Barrier(MPI_COMM_WORLD);
      // expect: omp-barrier-in-loop medium "and nothing on either side needs it" "stands beside another one"
#pragma omp barrier
  }
  MPI_Bcast(&all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return all;
}

void start(int *argc, char ***argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED)
    throw std::runtime_error("no threads");
}
