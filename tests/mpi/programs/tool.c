/* Another tool at the profiling interface: counts sends and says so at the end. */
#include <mpi.h>
#include <stdio.h>

static int sends;

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {
  ++sends;
  return PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm,
                       status);
}

int MPI_Finalize(void) {
  printf("tool: %d\n", sends);
  fflush(stdout);
  return PMPI_Finalize();
}
