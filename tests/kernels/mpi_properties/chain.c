// Rank 0 is late with a message that goes from rank to rank: each waits as long, and all because of rank 0. Twin: all
// are as late.
#include "property.h"

int main(int argc, char **argv) {
  begin_property(argc, argv);
  double value = rank;
  for (int i = 0; i < repetitions; i++) {
    if (rank == 0 || twin)
      pause_for(1.0);
    if (rank > 0)
      MPI_Recv(&value, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank + 1 < size)
      MPI_Send(&value, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return end_property();
}
