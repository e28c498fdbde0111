// Even ranks are late with a message that the next rank waits for. Twin: that rank is as late with its receive.
#include "property.h"

int main(int argc, char **argv) {
  begin_property(argc, argv);
  double value = rank;
  for (int i = 0; i < repetitions; i++) {
    if (rank % 2 == 0 && rank + 1 < size) {
      pause_for(1.0);
      MPI_Send(&value, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank % 2 == 1) {
      if (twin)
        pause_for(1.0);
      MPI_Recv(&value, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&value, 1, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD);
    }
  }
  return end_property();
}
