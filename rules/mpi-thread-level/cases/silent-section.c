// flags: -fopenmp
// One section communicates while the other one computes.
#include <mpi.h>

void overlap(double *out, double *in, double *work, int n, int up, int down, MPI_Comm comm) {
#pragma omp parallel sections
  {
#pragma omp section
    MPI_Sendrecv(out, n, MPI_DOUBLE, up, 0, in, n, MPI_DOUBLE, down, 0, comm, MPI_STATUS_IGNORE);
#pragma omp section
    for (int i = 0; i < n; i++)
      work[i] = 2.0 * work[i] + 1.0;
  }
}

int start(int *argc, char ***argv) {
  int provided;
  MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
  return provided >= MPI_THREAD_SERIALIZED;
}
