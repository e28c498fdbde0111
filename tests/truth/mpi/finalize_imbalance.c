// Rank 0 has more work; rank 1 waits for it in MPI_Finalize, where all meet. When it began to, it has told.
// rule: mpi-load-imbalance @here cost
// watch: mpi
// also: run-sleep-in-loop (the delay)
// twin: both ranks have as much
#include "truth.h"

int main(int argc, char **argv) {
  double came = 0.0;
  MPI_Request request = MPI_REQUEST_NULL;
  begin(&argc, &argv);
#ifndef TWIN
  if (rank == 0)
#endif
    rest(0.4);
  came = now();
  if (rank == 1)
    MPI_Isend(&came, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
  else
    MPI_Recv(&came, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say("here", now() - came);
  MPI_Finalize(); // @here
  return 0;
}
