#include "ranks.h"

int my_rank;

Grid::Grid(MPI_Comm comm) : comm(comm) {
  MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(comm, &all);
}
