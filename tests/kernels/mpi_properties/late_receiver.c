// Odd ranks are late with the receive that the synchronous send of the rank before waits for. Twin: that rank is as
// late with its send.
#include "property.h"

int main(int argc, char **argv) {
  begin_property(argc, argv);
  double value = rank;
  for (int i = 0; i < repetitions; i++) {
    if (rank % 2 == 0 && rank + 1 < size) {
      if (twin)
        pause_for(1.0);
      MPI_Ssend(&value, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    } else if (rank % 2 == 1) {
      pause_for(1.0);
      MPI_Recv(&value, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  return end_property();
}
