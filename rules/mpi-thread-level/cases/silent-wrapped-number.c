// flags: -fopenmp
// One thread alone calls MPI: its number comes from a function that asks for it, here or in another file.
#include <mpi.h>
#include <omp.h>

int number_elsewhere(void);
static int number_here(void) {
  int number;
  number = omp_get_thread_num();
  return number;
}

void exchange(double *edge, int n) {
  int thread;
#pragma omp parallel private(thread)
  {
    const int other = number_elsewhere();
    thread = number_here();
    if (thread == 0)
      MPI_Send(edge, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    if (other == 0)
      MPI_Recv(edge, n, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv) {
  double edge[100] = {1.0};
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED)
    MPI_Abort(MPI_COMM_WORLD, 1);
  exchange(edge, 100);
  MPI_Finalize();
  return 0;
}
