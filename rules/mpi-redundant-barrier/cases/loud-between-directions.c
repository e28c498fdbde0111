// The messages of one direction cannot mix with those of the next one: order and source tell them apart.
#include <mpi.h>

void exchange(double *field, int rows, int pitch, int above, int below, MPI_Comm comm) {
  MPI_Sendrecv(&field[rows * pitch], pitch, MPI_DOUBLE, below, 0, field, pitch, MPI_DOUBLE, above, 0, comm,
               MPI_STATUS_IGNORE);
  // expect: mpi-redundant-barrier low "between MPI_Sendrecv (line 5) and MPI_Sendrecv (line 9)"
  MPI_Barrier(comm);
  MPI_Sendrecv(&field[pitch], pitch, MPI_DOUBLE, above, 0, &field[(rows + 1) * pitch], pitch, MPI_DOUBLE, below, 0, comm,
               MPI_STATUS_IGNORE);
}

// Nor is it for the callers: the function computes and sends on both sides of it.
void relax(double *field, double *next, int rows, int pitch, int above, int below, MPI_Comm comm) {
  for (int i = pitch; i < (rows + 1) * pitch; i++)
    next[i] = 0.25 * (field[i - pitch] + 2.0 * field[i] + field[i + pitch]);
  MPI_Sendrecv(&next[rows * pitch], pitch, MPI_DOUBLE, below, 0, next, pitch, MPI_DOUBLE, above, 0, comm,
               MPI_STATUS_IGNORE);
  // expect: mpi-redundant-barrier medium "between MPI_Sendrecv (line 17) and MPI_Sendrecv (line 23)"
  MPI_Barrier(comm);
  for (int i = pitch; i < (rows + 1) * pitch; i++)
    field[i] = 0.5 * (next[i - pitch] + next[i]);
  MPI_Sendrecv(&field[pitch], pitch, MPI_DOUBLE, above, 0, &field[(rows + 1) * pitch], pitch, MPI_DOUBLE, below, 0, comm,
               MPI_STATUS_IGNORE);
}
