// flags: -fopenmp
// Regions compute, MPI is called between them; a region of one thread is none.
#include <mpi.h>

double relax(double *u, double *v, int n, int left, int right) {
  double mine = 0.0, all = 0.0;
  MPI_Sendrecv(&u[n - 2], 1, MPI_DOUBLE, right, 0, &u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for reduction(+ : mine)
  for (int i = 1; i < n - 1; i++) {
    v[i] = 0.5 * (u[i - 1] + u[i + 1]);
    mine += v[i];
  }
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#pragma omp parallel num_threads(1)
  MPI_Bcast(&all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char **argv) {
  static double u[1000], v[1000];
  MPI_Init(&argc, &argv);
  double r = relax(u, v, 1000, MPI_PROC_NULL, MPI_PROC_NULL);
  MPI_Finalize();
  return r < 0.0;
}
