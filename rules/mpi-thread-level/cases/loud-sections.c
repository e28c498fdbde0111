// flags: -fopenmp
// Sections run at the same time, one thread each: calls of two of them take turns no more than those of any threads.
#include <mpi.h>

void both_ways(double *out, double *in, int n, int up, int down, MPI_Comm comm) {
#pragma omp parallel sections
  {
#pragma omp section
    // expect: mpi-thread-level high
    MPI_Sendrecv(out, n, MPI_DOUBLE, up, 0, in, n, MPI_DOUBLE, down, 0, comm, MPI_STATUS_IGNORE);
#pragma omp section
    // expect: mpi-thread-level high
    MPI_Sendrecv(out + n, n, MPI_DOUBLE, down, 1, in + n, n, MPI_DOUBLE, up, 1, comm, MPI_STATUS_IGNORE);
  }
}

int start(int *argc, char ***argv) {
  int provided;
  MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
  return provided >= MPI_THREAD_SERIALIZED;
}
