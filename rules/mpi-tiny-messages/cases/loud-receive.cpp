// The side that receives, alone in its file: MPI's own C++ header has sends of unknown sizes, which are not the program's.
#include <mpi.h>
#include <vector>

void collect(std::vector<double> &column, int peer) {
  for (std::size_t i = 0; i < column.size(); ++i)
    // expect: mpi-tiny-messages high "from the same rank" "receives"
    MPI_Recv(&column[i], 1, MPI_DOUBLE, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int counts[100000];

void gather_counts(int first, int last) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0)
    for (int i = first; i < last; ++i)
      // expect: mpi-tiny-messages high "from the same rank" "receives"
      MPI_Recv(&counts[i], 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int count_of(int i) { return counts[i]; }
