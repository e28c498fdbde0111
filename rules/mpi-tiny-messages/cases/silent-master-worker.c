// Work goes out one piece at a time, to whoever is free.
#include <mpi.h>
#include <stdio.h>

static void serve(int tasks, int workers) {
  long total = 0;
  int next = 0;
  while (workers > 0) {
    long result;
    MPI_Status status;
    MPI_Recv(&result, 1, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    total += result;
    int task = next < tasks ? next++ : -1;
    if (task < 0)
      workers--;
    MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
  }
  printf("%ld\n", total);
}

static void work(void) {
  long result = 0;
  for (;;) {
    int task;
    MPI_Send(&result, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (task < 0)
      return;
    result = (long)task * task;
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0)
    serve(300, size - 1);
  else
    work();
  MPI_Finalize();
  return 0;
}
