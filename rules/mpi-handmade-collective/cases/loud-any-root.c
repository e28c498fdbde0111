// The root is a parameter; the loop skips it.
#include <mpi.h>

void spread(float *table, int n, int root) {
  int me, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (me == root) {
    for (int peer = 0; peer < ranks; ++peer) {
      if (peer == root)
        continue;
      // expect: mpi-handmade-collective high "sends the same data to one rank after another" "'peer' over the ranks"
      MPI_Send(table, n, MPI_FLOAT, peer, 11, MPI_COMM_WORLD);
    }
  } else {
    MPI_Recv(table, n, MPI_FLOAT, root, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
