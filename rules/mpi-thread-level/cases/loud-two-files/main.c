// flags: -fopenmp
// The level is asked for here, the region is in the other file.
#include <mpi.h>

void exchange(double *edges, int n, int left, int right);

int main(int argc, char **argv) {
  static double edges[4000];
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  exchange(edges, 1000, (rank + size - 1) % size, (rank + 1) % size);
  MPI_Finalize();
  return 0;
}
