// Messages from any source tell rounds apart by barriers. The ranks of a row wait for each other, and then all ranks do:
// the first barrier orders nothing more.
#include <mpi.h>

void steps(double *field, double *edge, int n, int count, MPI_Comm row) {
  for (int step = 0; step < count; step++) {
    MPI_Request request;
    MPI_Irecv(edge, n, MPI_DOUBLE, MPI_ANY_SOURCE, 0, row, &request);
    MPI_Send(field, n, MPI_DOUBLE, 0, 0, row);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    // expect: mpi-redundant-barrier medium "in the loop at line 6"
    MPI_Barrier(row);
    MPI_Barrier(MPI_COMM_WORLD);
    field[0] += edge[0];
  }
}
