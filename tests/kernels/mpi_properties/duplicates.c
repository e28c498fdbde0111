// Each rank works on its block and sends it to the next one, twice in a step. Twin: the block has changed in between.
#include "property.h"

int main(int argc, char **argv) {
  begin_property(argc, argv);
  static double block[1000], got[1000];
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int i = 0; i < repetitions; i++) {
    for (int sweep = 0; sweep < 400; sweep++)
      for (int k = 0; k < 1000; k++)
        block[k] = 0.5 * block[k] + i + k + rank;
    for (int times = 0; times < 2; times++) {
      MPI_Sendrecv(block, 1000, MPI_DOUBLE, right, 0, got, 1000, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      for (int k = 0; k < 1000 && twin; k++)
        block[k] += 0.5;
    }
  }
  return end_property();
}
