// One variable carries what one call sends after the other: two values, both known before the first call.
#include <mpi.h>

int crowded(const int *active, const int *parents, int split, int room, MPI_Comm comm) {
  int sum, most, all;
  sum = active[0] + 7 * split;
  // expect: mpi-fusable-collectives medium "that of line 10" "MPI_Allreduce"
  MPI_Allreduce(&sum, &most, 1, MPI_INT, MPI_MAX, comm);
  sum = parents[0] + split;
  MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_MAX, comm);
  return most > room || all > room;
}
