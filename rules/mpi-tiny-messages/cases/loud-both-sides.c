// The columns next to both neighbours go element by element, and the ghost columns come from both: nobody answers.
#include <mpi.h>

typedef struct {
  double volume, porosity, pressure, saturation, old[4];
} cell;

void ghosts(cell *cells, int rows, int columns, int west, int east, MPI_Comm comm) {
  const int pitch = columns + 2;
  for (int j = 1; j <= rows; j++) {
    // expect: mpi-tiny-messages medium "loop over 'j' sends 8 bytes per message"
    // expect: mpi-send-recv-chain medium "a chain as long as the ranks"
    MPI_Send(&cells[j * pitch + columns].saturation, 1, MPI_DOUBLE, east, 7, comm);
    MPI_Recv(&cells[j * pitch].saturation, 1, MPI_DOUBLE, west, 7, comm, MPI_STATUS_IGNORE);
    // expect: mpi-tiny-messages medium "loop over 'j' sends 8 bytes per message"
    // expect: mpi-send-recv-chain medium "a chain as long as the ranks"
    MPI_Send(&cells[j * pitch + 1].saturation, 1, MPI_DOUBLE, west, 7, comm);
    MPI_Recv(&cells[j * pitch + columns + 1].saturation, 1, MPI_DOUBLE, east, 7, comm, MPI_STATUS_IGNORE);
  }
}
