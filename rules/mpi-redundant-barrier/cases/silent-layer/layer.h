#include <mpi.h>
int comm_sendrecv(const void *out, int n, MPI_Datatype type, int to, int tag, void *in, int m, MPI_Datatype kind,
                  int from);
int comm_barrier(MPI_Comm comm);
