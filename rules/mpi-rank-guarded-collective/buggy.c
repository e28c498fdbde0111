// Four ranks add up their share of a series. The progress report at the end makes a collective call on rank 0 alone:
// here its message happens to meet the other ranks' call in MPI_Finalize or is buffered, elsewhere the program hangs.
#include <mpi.h>
#include <stdio.h>

static double part(int first, int last) {
  double sum = 0.0;
  for (int i = first; i < last; i++)
    sum += 1.0 / ((double)i * i);
  return sum;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int terms = 400000;
  double sum = part(1 + rank * terms / size, 1 + (rank + 1) * terms / size), total = 0.0;

  // Fine: both arms make the same call.
  if (rank == 0)
    MPI_Reduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  else
    MPI_Reduce(&sum, NULL, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  total = sum;
  MPI_Bcast(&total, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);

  if (rank == 0) {
    printf("%.6f\n", total);
    // expect: mpi-rank-guarded-collective high "never do, and whoever calls it hangs" "rank 0 alone calls"
    MPI_Bcast(&total, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
