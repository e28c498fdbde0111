// flags: -fopenmp
// The main thread of the team reduces, in a program without a thread level.
#include <mpi.h>

double norm(const double *x, int n) {
  double mine = 0.0, all = 0.0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : mine)
    for (int i = 0; i < n; i++)
      mine += x[i] * x[i];
#pragma omp master
    // expect: mpi-thread-level medium
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return all;
}

int main(int argc, char **argv) {
  double x[100] = {1.0};
  MPI_Init(&argc, &argv);
  double r = norm(x, 100);
  MPI_Finalize();
  return r < 0.0;
}
