// The others work until they are told: a broadcast would hold them.
#include <mpi.h>

void tell(int *flag, double *u, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    for (int p = 1; p < size; p++)
      // expect: mpi-handmade-collective low
      MPI_Send(flag, 1, MPI_INT, p, 30, MPI_COMM_WORLD);
  } else {
    int there = 0;
    while (!there) {
      for (int i = 0; i < n; i++)
        u[i] *= 0.99;
      MPI_Iprobe(0, 30, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    }
    MPI_Recv(flag, 1, MPI_INT, 0, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
