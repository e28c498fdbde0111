// A load of which the length is a parameter, and one that differs from rank to rank.
#include <mpi.h>
#include <unistd.h>

double imbalance(int rounds, unsigned microseconds) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double waited = 0.0;
  for (int k = 0; k < rounds; k++) {
    usleep(microseconds);
    double start = MPI_Wtime();
    // expect: mpi-redundant-barrier medium "beside a clock" no-fix
    MPI_Barrier(MPI_COMM_WORLD);
    waited += MPI_Wtime() - start;
  }
  for (int k = 0; k < rounds; k++) {
    usleep(1000 * (unsigned)rank);
    // expect: mpi-redundant-barrier medium "in the loop at line 16" no-fix
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return waited;
}
