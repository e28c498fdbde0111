// The root asks each rank in turn and decides by the answer what to ask the next one.
#include <mpi.h>

int vote(int proposal, int rank, MPI_Comm comm) {
  int size, answer = 0;
  MPI_Comm_size(comm, &size);
  if (rank == 0) {
    for (int r = 1; r < size; r++) {
      MPI_Send(&proposal, 1, MPI_INT, r, 0, comm);
      MPI_Recv(&answer, 1, MPI_INT, r, 1, comm, MPI_STATUS_IGNORE);
      proposal = answer > proposal ? answer : proposal - 1;
    }
  } else {
    MPI_Recv(&proposal, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    answer = proposal % (rank + 3);
    MPI_Send(&answer, 1, MPI_INT, 0, 1, comm);
  }
  return proposal;
}
