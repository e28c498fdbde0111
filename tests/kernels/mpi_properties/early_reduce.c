// The root of a reduction comes before all others. Twin: it comes with them.
#include "property.h"

int main(int argc, char **argv) {
  begin_property(argc, argv);
  double mine = rank, sum = 0.0;
  for (int i = 0; i < repetitions; i++) {
    if (rank != 0 || twin)
      pause_for(1.0);
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return end_property();
}
