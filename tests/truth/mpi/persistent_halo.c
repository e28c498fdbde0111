// Neighbours in a row exchange borders by persistent requests, receives and sends started together: nobody sends before
// it receives.
// rule: none
// watch: mpi
// ranks: 4
// with: openmpi
// twin: none
#include "truth.h"

int main(int argc, char **argv) {
  enum { COUNT = 2000 };
  static double out[2][COUNT], in[2][COUNT];
  MPI_Request requests[4];
  begin(&argc, &argv);
  int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  MPI_Recv_init(in[0], COUNT, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in[1], COUNT, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Send_init(out[0], COUNT, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Send_init(out[1], COUNT, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[3]);
  for (int step = 0; step < 100; step++) {
    for (int i = 0; i < COUNT; i++) {
      out[0][i] = 0.5 * in[1][i] + step + i;
      out[1][i] = 0.5 * in[0][i] - step - i;
    }
    MPI_Startall(4, requests);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 4; i++)
    MPI_Request_free(&requests[i]);
  MPI_Finalize();
  return 0;
}
