// Without the barrier a message of the second phase could match a receive of the first.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  long sums[2] = {0, 0};
  for (int phase = 0; phase < 2; phase++) {
    int value = (phase + 1) * 100 + rank;
    if (rank == 0) {
      for (int n = 1; n < size; n++) {
        int received;
        MPI_Recv(&received, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sums[phase] += received;
      }
    } else {
      MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0)
    printf("%ld %ld\n", sums[0], sums[1]);
  MPI_Finalize();
  return 0;
}
