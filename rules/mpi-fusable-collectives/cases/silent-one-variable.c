// One variable carries what one call sends after the other: the second value needs the first result.
#include <mpi.h>

int crowded(const int *active, const int *parents, int split, int room, MPI_Comm comm) {
  int sum, most, all;
  sum = active[0] + 7 * split;
  MPI_Allreduce(&sum, &most, 1, MPI_INT, MPI_MAX, comm);
  sum = parents[0] + most;
  MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_MAX, comm);
  return most > room || all > room;
}
