// Level by level upwards, then all levels back: each step waits for the whole line of ranks. What came lies in another
// row of the level than what leaves.
#include <mpi.h>

enum { WIDTH = 512, HEIGHT = 256 };
extern double field[64][HEIGHT][WIDTH];
extern int south, north, levels, columns, rows;

void exchange(void) {
  for (int k = 0; k < levels; k++) {
    if (south != MPI_PROC_NULL)
      MPI_Recv(field[k][0], columns, MPI_DOUBLE, south, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (north != MPI_PROC_NULL)
      // expect: mpi-send-recv-chain, mpi-tiny-messages medium
      MPI_Send(field[k][rows - 2], columns, MPI_DOUBLE, north, k, MPI_COMM_WORLD);
  }
  for (int k = 0; k < levels; k++)
    // expect: mpi-tiny-messages medium "over 'k'"
    MPI_Sendrecv(field[k][1], columns, MPI_DOUBLE, south, 100 + k, field[k][rows - 1], columns, MPI_DOUBLE, north,
                 100 + k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
