// Each message repeats all but the first number of the one before: no datatype with a stride can stand for them, but
// the range that they cover can.
#include <mpi.h>

void windows(const double *samples, int n, int to, MPI_Comm comm) {
  for (int i = 0; i + 8 <= n; i++)
    // expect: mpi-tiny-messages high "to the same rank" "message"
    MPI_Send(samples + i, 8, MPI_DOUBLE, to, 0, comm);
}
