// An unstructured mesh: lists say which values a neighbour needs.
#include <mpi.h>

void iterate(double *values, const int *list, const int *starts, const int *ranks, int neighbours, double *out,
             double *in, int steps) {
  for (int step = 0; step < steps; step++)
    for (int n = 0; n < neighbours; n++) {
      const int count = starts[n + 1] - starts[n];
      for (int i = 0; i < count; i++)
        out[i] = values[list[starts[n] + i]];
      MPI_Sendrecv(out, count, MPI_DOUBLE, ranks[n], 0, in, count, MPI_DOUBLE, ranks[n], 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      for (int i = 0; i < count; i++)
        values[list[starts[n] + i]] += in[i];
    }
}
