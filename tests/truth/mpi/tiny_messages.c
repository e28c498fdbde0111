// A column is sent element by element.
// rule: mpi-tiny-messages @here gain
// watch: mpi
// twin: it is sent in one message
#include "truth.h"

int main(int argc, char **argv) {
  enum { COUNT = 500 };
  static double column[COUNT];
  double from, inside = 0.0;
  begin(&argc, &argv);
  for (int step = 0; step < 100; step++) {
    for (int i = 0; i < COUNT && rank == 0; i++)
      column[i] = step + i;
    from = now();
#ifdef TWIN
    if (rank == 0)
      MPI_Send(column, COUNT, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    else
      MPI_Recv(column, COUNT, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
    for (int i = 0; i < COUNT; i++)
      if (rank == 0)
        MPI_Send(&column[i], 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); // @here
      else
        MPI_Recv(&column[i], 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    inside += now() - from;
    MPI_Sendrecv(column, 1, MPI_DOUBLE, 1 - rank, 1, &column[1], 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  say_between("here", 0.0, 1.15 * largest(inside));
  MPI_Finalize();
  return 0;
}
