// Two sides that do the opposite of each other.
#include <mpi.h>

void swap_halves(double *mine, double *theirs, int count, int rank, MPI_Comm comm) {
  if (rank == 0) {
    MPI_Send(mine, count, MPI_DOUBLE, 1, 0, comm);
    MPI_Recv(theirs, count, MPI_DOUBLE, 1, 0, comm, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(theirs, count, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    MPI_Send(mine, count, MPI_DOUBLE, 0, 0, comm);
  }
}
