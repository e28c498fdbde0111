// Tasks go to whoever is idle; the first ones, and the word to stop, go to all.
#include <mpi.h>

enum { WORK = 1, STOP = 2 };

void serve(double *tasks, int n, int size) {
  int next = 0, busy = 0;
  for (int r = 1; r < size && next < n; r++, busy++)
    MPI_Send(&tasks[next++], 1, MPI_DOUBLE, r, WORK, MPI_COMM_WORLD);
  while (busy > 0) {
    double result;
    MPI_Status status;
    MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, WORK, MPI_COMM_WORLD, &status);
    if (next < n)
      MPI_Send(&tasks[next++], 1, MPI_DOUBLE, status.MPI_SOURCE, WORK, MPI_COMM_WORLD);
    else
      busy--;
  }
  for (int r = 1; r < size; r++)
    MPI_Send(tasks, 0, MPI_DOUBLE, r, STOP, MPI_COMM_WORLD);
}
