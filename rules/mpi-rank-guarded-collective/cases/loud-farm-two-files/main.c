// The master makes a collective call that the function of the workers, in another file, lacks.
#include <mpi.h>

void work(double *values);
void hand_out(double *values, int n);

static double values[64];

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    int share = 64 / size;
    // expect: mpi-rank-guarded-collective high "never do, and whoever calls it hangs" "rank 0 alone calls"
    MPI_Bcast(&share, 1, MPI_INT, 0, MPI_COMM_WORLD);
    hand_out(values, share);
  } else {
    work(values);
  }
  MPI_Finalize();
  return 0;
}
