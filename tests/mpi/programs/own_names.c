/* A function of its own with the name of a system call. */
#include <mpi.h>

long pwrite(void) { return -1; }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
