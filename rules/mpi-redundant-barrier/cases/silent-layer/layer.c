// The barrier of this layer also reads a clock: it is more than the call.
#include "layer.h"

double waited;

int comm_barrier(MPI_Comm comm) {
  double begin = MPI_Wtime();
  int status = MPI_Barrier(comm);
  waited += MPI_Wtime() - begin;
  return status;
}

int comm_sendrecv(const void *out, int n, MPI_Datatype type, int to, int tag, void *in, int m, MPI_Datatype kind,
                  int from) {
  return MPI_Sendrecv(out, n, type, to, tag, in, m, kind, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
