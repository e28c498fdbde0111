// A layer over MPI with a communicator of its own, whose arguments stand in another order than those of MPI, and that takes
// the results out of a buffer.
#include "layer.h"
#include <mpi.h>
#include <stdio.h>

static MPI_Comm world = MPI_COMM_NULL;
static int calls;

void start(void) { MPI_Comm_dup(MPI_COMM_WORLD, &world); }

void sum_all(double *values, int count) {
  double sums[64];
  if (count > 64) {
    fprintf(stderr, "%d values are too many\n", count);
    MPI_Abort(world, 1);
  }
  MPI_Allreduce(values, sums, count, MPI_DOUBLE, MPI_SUM, world);
  for (int i = 0; i < count; i++)
    values[i] = sums[i];
}

void most_of(int count, double *values) { MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, world); }

// These do more, or less, than the call.
void sum_part(double *values, int count) {
  double sums[64];
  MPI_Allreduce(values, sums, count, MPI_DOUBLE, MPI_SUM, world);
  for (int i = 0; i < 2; i++)
    values[i] = sums[i];
}

void sum_later(double *values, int count) {
  double sums[64];
  MPI_Allreduce(values, sums, count, MPI_DOUBLE, MPI_SUM, world);
  for (int i = 1; i < count; i++)
    values[i] = sums[i];
}

void sum_turned(double *values, int count) {
  double sums[64];
  MPI_Allreduce(values, sums, count, MPI_DOUBLE, MPI_SUM, world);
  for (int i = 0; i < count; i++)
    values[i] = sums[count - 1 - i];
}

void sum_odd(double *values, int count) {
  double sums[64];
  MPI_Allreduce(values, sums, count, MPI_DOUBLE, MPI_SUM, world);
  for (int i = 0; i < count; i += 2)
    values[i] = sums[i];
}

void sum_offset(double *values, int count) {
  double sums[64];
  MPI_Allreduce(values, sums, count, MPI_DOUBLE, MPI_SUM, world);
  for (int i = 0; i < count; i++)
    values[i + 1] = sums[i];
}

void sum_twice(double *values, int count, double *copies) {
  double sums[64];
  MPI_Allreduce(values, sums, count, MPI_DOUBLE, MPI_SUM, world);
  for (int i = 0; i < count; i++)
    values[i] = sums[i];
  for (int i = 0; i < count; i++)
    copies[i] = sums[i];
}

void sum_counted(double *values, int count) {
  double sums[64];
  MPI_Allreduce(values, sums, count, MPI_DOUBLE, MPI_SUM, world);
  for (int i = 0; i < count; i++)
    values[i] = sums[i];
  for (int i = 0; i < count; i++)
    calls++;
}
