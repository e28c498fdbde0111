// Each element arrives from one side and goes on to the other: it does not exist before it has come.
#include <mpi.h>

void relay(double *field, int rows, int width, int left, int right, MPI_Comm comm) {
  for (int y = 0; y < rows; ++y) {
    MPI_Recv(&field[y * width], 1, MPI_DOUBLE, left, 4, comm, MPI_STATUS_IGNORE);
    MPI_Send(&field[y * width], 1, MPI_DOUBLE, right, 4, comm);
  }
}
