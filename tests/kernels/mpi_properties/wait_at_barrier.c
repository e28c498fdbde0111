// The last rank is late at a barrier. Twin: all are as late.
#include "property.h"

int main(int argc, char **argv) {
  begin_property(argc, argv);
  for (int i = 0; i < repetitions; i++) {
    if (rank == size - 1 || twin)
      pause_for(1.0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return end_property();
}
