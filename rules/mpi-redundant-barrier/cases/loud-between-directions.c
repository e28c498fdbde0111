// The messages of one direction cannot mix with those of the next one: order and source tell them apart.
#include <mpi.h>

void exchange(double *field, int rows, int pitch, int above, int below, MPI_Comm comm) {
  MPI_Sendrecv(&field[rows * pitch], pitch, MPI_DOUBLE, below, 0, field, pitch, MPI_DOUBLE, above, 0, comm,
               MPI_STATUS_IGNORE);
  // expect: mpi-redundant-barrier medium "between MPI_Sendrecv (line 5) and MPI_Sendrecv (line 9)"
  MPI_Barrier(comm);
  MPI_Sendrecv(&field[pitch], pitch, MPI_DOUBLE, above, 0, &field[(rows + 1) * pitch], pitch, MPI_DOUBLE, below, 0, comm,
               MPI_STATUS_IGNORE);
}
