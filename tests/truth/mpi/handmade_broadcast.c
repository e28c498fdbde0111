// Rank 0 sends the same data to all others one by one.
// rule: mpi-handmade-collective @here -
// watch: mpi
// ranks: 6
// with: openmpi
// also: mpi-late-sender (ranks lack processors)
// twin: by one call
#include "truth.h"

int main(int argc, char **argv) {
  enum { COUNT = 2000 };
  static double data[COUNT];
  begin(&argc, &argv);
  for (int step = 0; step < 300; step++) {
    for (int i = 0; i < COUNT && rank == 0; i++)
      data[i] = step + i;
#ifdef TWIN
    MPI_Bcast(data, COUNT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#else
    if (rank == 0) {
      for (int other = 1; other < size; other++)
        MPI_Send(data, COUNT, MPI_DOUBLE, other, 0, MPI_COMM_WORLD); // @here
    } else {
      MPI_Recv(data, COUNT, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
#endif
  }
  MPI_Finalize();
  return 0;
}
