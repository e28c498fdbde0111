// flags: -fopenmp
// Each thread sends; the program asked for it and checked.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

void send_parts(double *x, int n, int to) {
#pragma omp parallel
  {
    const int t = omp_get_thread_num();
    MPI_Send(x + (long)t * n, n, MPI_DOUBLE, to, t, MPI_COMM_WORLD);
  }
}

int start(int *argc, char ***argv) {
  int provided;
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    fprintf(stderr, "this library has no threads\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return provided;
}
