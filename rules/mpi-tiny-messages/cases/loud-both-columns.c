// A column goes to one side while the ghost column comes from the other: no element that arrives is sent on.
#include <mpi.h>

void shift(double *field, int rows, int width, int left, int right, MPI_Comm comm) {
  for (int y = 0; y < rows; ++y) {
    // expect: mpi-tiny-messages medium "to the same rank" "message"
    // expect: mpi-send-recv-chain medium "a chain as long as the ranks" "right"
    MPI_Send(&field[y * width], 1, MPI_DOUBLE, left, 4, comm);
    MPI_Recv(&field[y * width + width - 1], 1, MPI_DOUBLE, right, 4, comm, MPI_STATUS_IGNORE);
  }
}
