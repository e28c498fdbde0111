// flags: -fopenmp
// The number of the thread is asked for, and all of the team but the first send.
#include <mpi.h>
#include <omp.h>

static int number_here(void) { return omp_get_thread_num(); }

void exchange(double *edge, int n) {
#pragma omp parallel
  {
    const int thread = number_here();
    if (thread != 0)
      // expect: mpi-thread-level high
      MPI_Send(edge, n, MPI_DOUBLE, 1, thread, MPI_COMM_WORLD);
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
