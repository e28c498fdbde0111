// One number for each point of a list, out of a table of rows.
#include <mpi.h>

extern float **field;

void samples(const int *column, const int *row, int points, int root, MPI_Comm comm) {
  for (int p = 0; p < points; p++) {
    float sample = field[column[p]][row[p]];
    // expect: mpi-tiny-messages medium "loop over 'p' sends 4 bytes per message" "copy the elements to one buffer"
    MPI_Send(&sample, 1, MPI_FLOAT, root, p, comm);
  }
}
