// A ring shift by messages that name their partners, with a barrier after it that orders nothing; one rank is late at
// it. Twin: rank 0 receives from any rank, in two rounds that only the barrier keeps apart.
#include "property.h"

int main(int argc, char **argv) {
  begin_property(argc, argv);
  double value = rank, got = 0.0;
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int i = 0; i < repetitions; i++) {
    if (!twin) {
      MPI_Sendrecv(&value, 1, MPI_DOUBLE, right, 0, &got, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 0)
        pause_for(1.0);
    } else if (rank == 0) {
      for (int other = 1; other < size; other++)
        MPI_Recv(&got, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return end_property();
}
