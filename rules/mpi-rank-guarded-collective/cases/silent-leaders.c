// The first rank of each node talks to the other leaders: another communicator, of which all its members call.
#include <mpi.h>

double node_sum(double mine) {
  MPI_Comm node, leaders;
  int world_rank, rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world_rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : MPI_UNDEFINED, world_rank, &leaders);
  double sum = 0.0, total = 0.0;
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, node);
  if (rank == 0) {
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, leaders);
    MPI_Comm_free(&leaders);
  }
  MPI_Bcast(&total, 1, MPI_DOUBLE, 0, node);
  MPI_Comm_free(&node);
  return total;
}
