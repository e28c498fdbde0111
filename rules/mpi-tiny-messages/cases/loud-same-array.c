// One loop sends the last column of an array and receives the halo column of the same array, element by element.
#include <mpi.h>

void shift_right(double *field, int width, int height, int rank, int ranks, MPI_Comm comm) {
  const int pitch = width + 2;
  for (int row = 1; row <= height; row++) {
    if (rank < ranks - 1)
      // expect: mpi-tiny-messages medium, mpi-send-recv-chain medium
      MPI_Send(&field[row * pitch + width], 1, MPI_DOUBLE, rank + 1, 3, comm);
    if (rank > 0)
      MPI_Recv(&field[row * pitch], 1, MPI_DOUBLE, rank - 1, 3, comm, MPI_STATUS_IGNORE);
  }
}

void shift_down(float *field, long columns, long rows, int rank, int ranks, MPI_Comm comm) {
  for (long i = 0; i < columns; i++) {
    if (rank < ranks - 1)
      // expect: mpi-tiny-messages medium, mpi-send-recv-chain medium
      MPI_Send(field + rows * columns + i, 1, MPI_FLOAT, rank + 1, 4, comm);
    if (rank > 0)
      MPI_Recv(field + i, 1, MPI_FLOAT, rank - 1, 4, comm, MPI_STATUS_IGNORE);
  }
}
