// Pairs of ranks measure; each of them joins the barrier once, behind its warm-up, and the idle ranks join it at once.
#include <mpi.h>

double measure(double *buffer, int n, int pairs, int warm_up, int rounds) {
  int rank;
  double start = 0.0, mine = 0.0, sum = 0.0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank < pairs) {
    for (int k = 0; k < warm_up + rounds; k++) {
      if (k == warm_up) {
        MPI_Barrier(MPI_COMM_WORLD);
        start = MPI_Wtime();
      }
      MPI_Send(buffer, n, MPI_DOUBLE, rank + pairs, 0, MPI_COMM_WORLD);
    }
    mine = MPI_Wtime() - start;
  } else if (rank < 2 * pairs) {
    for (int k = 0; k < warm_up + rounds; k++) {
      if (k == warm_up)
        MPI_Barrier(MPI_COMM_WORLD);
      MPI_Recv(buffer, n, MPI_DOUBLE, rank - pairs, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  return sum;
}
