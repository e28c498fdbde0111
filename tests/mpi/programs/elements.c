/* Element-wise messages of two ranks: from an array, from one buffer, to nobody, and received with others in between.
 * With the argument "kill", rank 1 dies in the middle of its receives. */
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 400 };

int main(int argc, char **argv) {
  double cells[COUNT], value = 0;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    memset(cells, 0, sizeof cells);
    for (int i = 0; i < COUNT; ++i)
      MPI_Send(&cells[i], 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    for (int i = 0; i < COUNT; ++i)
      MPI_Send(&value, 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
    for (int i = 0; i < COUNT; ++i)
      MPI_Send(&cells[i], 1, MPI_DOUBLE, MPI_PROC_NULL, 3, MPI_COMM_WORLD);
    for (int i = 0; i < COUNT; ++i)
      MPI_Send(&cells[i], 1 + (i == COUNT / 2), MPI_DOUBLE, 1, 4, MPI_COMM_WORLD);
    if (argc > 1)
      for (;;)
        pause();
  } else {
    for (int i = 0; i < COUNT; ++i) {
      if (argc > 1 && i == COUNT / 2)
        raise(SIGKILL);
      MPI_Recv(&cells[i], 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < COUNT; ++i)
      MPI_Recv(&value, 1, MPI_DOUBLE, i % 2 ? 0 : MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < COUNT; ++i)
      MPI_Recv(cells, 2, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
