#include "ranks.h"

int leader, count;

void place(struct grid *grid) { MPI_Comm_rank(MPI_COMM_WORLD, &grid->number); }

void begin(void) {
  MPI_Comm_rank(MPI_COMM_WORLD, &leader);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
}
