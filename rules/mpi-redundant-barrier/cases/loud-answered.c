// Nobody floods rank 0: each sender waits for its answer before it goes on.
#include <mpi.h>

void agree(double *value, int rounds, int rank, int size, MPI_Comm comm) {
  for (int round = 0; round < rounds; round++) {
    if (rank == 0) {
      double sum = value[round], part;
      for (int source = 1; source < size; source++) {
        // expect: mpi-handmade-collective medium
        MPI_Recv(&part, 1, MPI_DOUBLE, source, 0, comm, MPI_STATUS_IGNORE);
        sum += part;
      }
      value[round] = sum;
      for (int target = 1; target < size; target++)
        // expect: mpi-handmade-collective medium
        MPI_Send(&value[round], 1, MPI_DOUBLE, target, 1, comm);
    } else {
      MPI_Send(&value[round], 1, MPI_DOUBLE, 0, 0, comm);
      MPI_Recv(&value[round], 1, MPI_DOUBLE, 0, 1, comm, MPI_STATUS_IGNORE);
    }
    // expect: mpi-redundant-barrier medium "in the loop at line 5"
    MPI_Barrier(comm);
  }
}
