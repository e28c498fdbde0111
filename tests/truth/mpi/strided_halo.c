// The domain is cut so that each border is a column, an element of each row; along the rows it would be contiguous.
// rule: mpi-strided-halo @here -
// watch: mpi
// ranks: 4
// with: openmpi
// twin: it is cut so that each border is a row
#include "truth.h"

int main(int argc, char **argv) {
  enum { ROWS = 1200, COLUMNS = 600 };
  static double cells[ROWS][COLUMNS];
  MPI_Datatype border;
  MPI_Request request;
  begin(&argc, &argv);
  int left = (rank + size - 1) % size, right = (rank + 1) % size;
#ifdef TWIN
  MPI_Type_contiguous(COLUMNS, MPI_DOUBLE, &border);
#else
  MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &border);
#endif
  MPI_Type_commit(&border);
  for (int step = 0; step < 300; step++) {
    for (int i = 0; i < COLUMNS; i++)
      cells[0][i] += step;
    for (int i = 0; i < ROWS; i++)
      cells[i][1] += step + cells[i][0];
    MPI_Isend(&cells[0][1], 1, border, right, 0, MPI_COMM_WORLD, &request); // @here
    MPI_Recv(&cells[0][0], 1, border, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&border);
  MPI_Finalize();
  return 0;
}
