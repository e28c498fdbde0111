// A torus of two by two blocks with corners: each rank exchanges with all others, since these are its neighbours. Of
// more ranks they would not be.
// rule: none
// watch: mpi
// ranks: 4
// with: openmpi
// twin: none
#include "truth.h"

int main(int argc, char **argv) {
  enum { SIDE = 60, NEIGHBOURS = 3 };
  static double out[NEIGHBOURS][SIDE], in[NEIGHBOURS][SIDE];
  begin(&argc, &argv);
  for (int step = 0; step < 100; step++) {
    MPI_Request requests[2 * NEIGHBOURS];
    for (int n = 0; n < NEIGHBOURS; n++) {
      for (int i = 0; i < SIDE; i++)
        out[n][i] = 0.25 * in[n][i] + step + i + rank;
      MPI_Irecv(in[n], SIDE, MPI_DOUBLE, rank ^ (n + 1), n, MPI_COMM_WORLD, &requests[n]);
      MPI_Isend(out[n], SIDE, MPI_DOUBLE, rank ^ (n + 1), n, MPI_COMM_WORLD, &requests[NEIGHBOURS + n]);
    }
    MPI_Waitall(2 * NEIGHBOURS, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
