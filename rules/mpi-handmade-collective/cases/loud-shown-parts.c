// What is added up is shown as well; without the sum, the order of the lines is all that the loop is for.
#include <mpi.h>
#include <stdio.h>

double sum_and_show(double own, int rank, int size, MPI_Comm comm) {
  double sum = own, part;
  if (rank == 0) {
    for (int source = 1; source < size; source++) {
      // expect: mpi-handmade-collective medium
      MPI_Recv(&part, 1, MPI_DOUBLE, source, 0, comm, MPI_STATUS_IGNORE);
      printf("rank %d: %f\n", source, part);
      sum += part;
    }
  } else {
    MPI_Send(&own, 1, MPI_DOUBLE, 0, 0, comm);
  }
  return sum;
}

void show(double own, int rank, int size, MPI_Comm comm) {
  double part;
  if (rank == 0) {
    for (int source = 1; source < size; source++) {
      // expect: mpi-handmade-collective low
      MPI_Recv(&part, 1, MPI_DOUBLE, source, 1, comm, MPI_STATUS_IGNORE);
      printf("rank %d: %f\n", source, part);
    }
  } else {
    MPI_Send(&own, 1, MPI_DOUBLE, 0, 1, comm);
  }
}
