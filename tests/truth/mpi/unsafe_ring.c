// All ranks of a ring send to the right before they receive from the left: it ends only because the library buffers.
// rule: mpi-send-recv-chain @here -
// watch: mpi
// ranks: 4
// with: openmpi
// also: mpi-late-sender (ranks lack processors)
// twin: the receive is posted before
#include "truth.h"

int main(int argc, char **argv) {
  double out = 0.0, in = 0.0;
  begin(&argc, &argv);
  for (int step = 0; step < 200; step++) {
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    out = 0.5 * in + step;
#ifdef TWIN
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&out, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
    MPI_Send(&out, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD); // @here
    MPI_Recv(&in, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
  }
  MPI_Finalize();
  return 0;
}
