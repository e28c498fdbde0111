// Measuring: the same buffer goes to and fro between clocks, or between calls of a clock elsewhere.
#include <mpi.h>
#include <stdio.h>

static double latency(char *out, char *in, int bytes, int partner, int rank, int loops) {
  double start = MPI_Wtime();
  for (int i = 0; i < loops; i++) {
    if (rank == 0) {
      MPI_Send(out, bytes, MPI_CHAR, partner, 1, MPI_COMM_WORLD);
      MPI_Recv(in, bytes, MPI_CHAR, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, bytes, MPI_CHAR, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, bytes, MPI_CHAR, partner, 1, MPI_COMM_WORLD);
    }
  }
  return (MPI_Wtime() - start) / loops;
}

void bandwidth(char *out, MPI_Request *request, int bytes, int window, int partner) {
  for (int i = 0; i < window; i++)
    MPI_Isend(out, bytes, MPI_CHAR, partner, 1, MPI_COMM_WORLD, &request[i]);
  MPI_Waitall(window, request, MPI_STATUSES_IGNORE);
}

void report(char *out, char *in, int bytes, int partner, int rank) {
  printf("%g\n", latency(out, in, bytes, partner, rank, 100));
}
