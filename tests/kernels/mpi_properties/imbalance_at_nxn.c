// Ranks compute the longer the higher they are before a sum over all; rank 0 not at all. Twin: all as long.
#include "property.h"

int main(int argc, char **argv) {
  begin_property(argc, argv);
  double mine = rank, sum = 0.0;
  for (int i = 0; i < repetitions; i++) {
    if (twin)
      pause_for(0.5);
    else if (rank > 0)
      pause_for((double)rank / (size - 1));
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return end_property();
}
