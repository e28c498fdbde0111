// Only the master calls these functions: its loops begin at rank 1, so that they are no exchange of all with all.
#include <mpi.h>

void deal(double *blocks, double *results, int n, MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  for (int w = 1; w < size; w++)
    // expect: mpi-handmade-collective medium "sends each rank its block, one after another" "'w' over the ranks"
    MPI_Send(blocks + w * n, n, MPI_DOUBLE, w, 1, comm);
  for (int w = 1; w < size; w++)
    // expect: mpi-handmade-collective medium "receives a block from one rank after another" "'w' over the ranks"
    MPI_Recv(results + w * n, n, MPI_DOUBLE, w, 2, comm, MPI_STATUS_IGNORE);
}
