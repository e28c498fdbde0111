#include "filter.h"
#include <mpi.h>

static double field[130], work[130];

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  filter(field, work, 128);
  filter(field, work, 128);
  shift(field, 128);
  shift(field, 128);
  turn(field, work, 128);
  turn(field, work, 128);
  MPI_Finalize();
  return 0;
}
