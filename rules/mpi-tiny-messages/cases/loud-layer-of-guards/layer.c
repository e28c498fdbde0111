// A layer over MPI that leaves the call out where there is no such rank: MPI would send nothing either.
#include "layer.h"
#include <mpi.h>

static int calls;

void put(const double *values, int count, int to) {
  if (to != MPI_PROC_NULL)
    MPI_Send(values, count, MPI_DOUBLE, to, 5, MPI_COMM_WORLD);
}

void put_up(const double *values, int count, int to) {
  if (to >= 0)
    MPI_Send(values, count, MPI_DOUBLE, to, 5, MPI_COMM_WORLD);
}

// These do more than the call, or less.
void put_counted(const double *values, int count, int to) {
  if (to != MPI_PROC_NULL) {
    MPI_Send(values, count, MPI_DOUBLE, to, 5, MPI_COMM_WORLD);
    if (count > 1)
      calls++;
  }
}

void put_inside(const double *values, int count, int to) {
  if (to > 0)
    MPI_Send(values, count, MPI_DOUBLE, to, 5, MPI_COMM_WORLD);
}

void put_if_any(const double *values, int count, int to) {
  if (count >= 0)
    MPI_Send(values, count, MPI_DOUBLE, to, 5, MPI_COMM_WORLD);
}
