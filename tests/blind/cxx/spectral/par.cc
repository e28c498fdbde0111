#include "par.h"
#include <cstdio>
#include <cstring>

Par *Par::the_ = 0;

Par::Par() {
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
}

Par *Par::instance() {
  if (!the_) the_ = new Par;
  return the_;
}

void Par::start(int *argc, char ***argv) {
  int have;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &have);
  instance();
}

void Par::stop() {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}

void Par::sync() { MPI_Barrier(MPI_COMM_WORLD); }

real Par::sum(real x) {
  real y;
  MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return y;
}

real Par::maxval(real x) {
  real y;
  MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return y;
}

// v becomes the sum over all ranks, everywhere
void Par::sumVector(real *v, int n) {
  if (np == 1) return;
  if (me == 0) {
    std::vector<real> t(n);
    for (int p = 1; p < np; ++p) {
      MPI_Recv(&t[0], n, MPI_DOUBLE, p, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int k = 0; k < n; ++k) v[k] += t[k];
    }
    for (int p = 1; p < np; ++p) MPI_Send(v, n, MPI_DOUBLE, p, 4, MPI_COMM_WORLD);
  } else {
    MPI_Send(v, n, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
    MPI_Recv(v, n, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
