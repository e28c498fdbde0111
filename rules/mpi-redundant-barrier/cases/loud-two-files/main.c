// What stands around the barrier is in the other file: messages between named ranks, and computation.
#include "field.h"

#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  Field field;
  field_create(&field, 4096, MPI_COMM_WORLD);
  for (int step = 0; step < 200; step++) {
    exchange(&field);
    // expect: mpi-redundant-barrier medium "MPI_Allreduce (line 16)"
    MPI_Barrier(MPI_COMM_WORLD);
    relax(&field);
  }
  const double sum = total(&field);
  field_destroy(&field);
  MPI_Finalize();
  return sum < 0.0;
}
