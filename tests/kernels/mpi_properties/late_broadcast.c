// The root of a broadcast is late. Twin: all are as late.
#include "property.h"

int main(int argc, char **argv) {
  begin_property(argc, argv);
  double value = rank;
  for (int i = 0; i < repetitions; i++) {
    if (rank == 0 || twin)
      pause_for(1.0);
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return end_property();
}
