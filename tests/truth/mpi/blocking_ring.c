// All ranks of an open row send to the right before they receive from the left: the messages wait for one another.
// rule: mpi-send-recv-chain @here -
// watch: mpi
// ranks: 4
// with: openmpi
// also: mpi-late-sender (ranks lack processors)
// twin: by MPI_Sendrecv
#include "truth.h"

int main(int argc, char **argv) {
  enum { COUNT = 100000 };
  static double out[COUNT], in[COUNT];
  begin(&argc, &argv);
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  for (int step = 0; step < 40; step++) {
    for (int i = 0; i < COUNT; i++)
      out[i] = 0.5 * in[i] + step + i;
#ifdef TWIN
    MPI_Sendrecv(out, COUNT, MPI_DOUBLE, right, 0, in, COUNT, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
    MPI_Send(out, COUNT, MPI_DOUBLE, right, 0, MPI_COMM_WORLD); // @here
    MPI_Recv(in, COUNT, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
  }
  MPI_Finalize();
  return 0;
}
