// Three messages: a protocol, not a copy.
#include <mpi.h>

void send_origin(const double *origin, int target) {
  for (int axis = 0; axis < 3; axis++)
    MPI_Send(&origin[axis], 1, MPI_DOUBLE, target, axis, MPI_COMM_WORLD);
}
