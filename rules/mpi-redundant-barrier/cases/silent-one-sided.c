// The target learns from the barrier that the data have arrived.
#include <mpi.h>

void deposit(MPI_Win window, const double *values, int count, int target, MPI_Comm comm) {
  MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
  MPI_Put(values, count, MPI_DOUBLE, target, 0, count, MPI_DOUBLE, window);
  MPI_Win_unlock(target, window);
  MPI_Barrier(comm);
}
