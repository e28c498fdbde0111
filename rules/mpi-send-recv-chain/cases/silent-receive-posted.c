// The receive is ready before anybody sends.
#include <mpi.h>

void rotate(double *in, const double *out, int count, int previous, int next, MPI_Comm comm) {
  MPI_Request request;
  MPI_Irecv(in, count, MPI_DOUBLE, previous, 0, comm, &request);
  MPI_Send(out, count, MPI_DOUBLE, next, 0, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
