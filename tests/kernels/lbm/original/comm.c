#include "comm.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int neighbour(const Comm *comm, int dx, int dy) {
  int x = comm->rank_x + dx;
  int y = comm->rank_y + dy;
  if (x < 0 || x >= comm->ranks_x || y < 0 || y >= comm->ranks_y)
    return MPI_PROC_NULL;
  return x * comm->ranks_y + y;
}

void comm_create(Comm *comm, const Config *config) {
  MPI_Comm_rank(MPI_COMM_WORLD, &comm->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &comm->size);
  comm->ranks_x = config->ranks_x > 0 ? config->ranks_x : comm->size;
  comm->ranks_y = comm->size / comm->ranks_x;
  if (comm->ranks_x * comm->ranks_y != comm->size || config->width % comm->ranks_x != 0 ||
      config->height % comm->ranks_y != 0) {
    fprintf(stderr, "lbm: %d x %d cells do not divide into %d ranks, %d of them along x\n", config->width,
            config->height, comm->size, comm->ranks_x);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  comm->rank_x = comm->rank / comm->ranks_y;
  comm->rank_y = comm->rank % comm->ranks_y;
  comm->width = config->width / comm->ranks_x + 2;
  comm->height = config->height / comm->ranks_y + 2;
  comm->origin_x = comm->rank_x * (comm->width - 2);
  comm->origin_y = comm->rank_y * (comm->height - 2);
  comm->left = neighbour(comm, -1, 0);
  comm->right = neighbour(comm, 1, 0);
  comm->top = neighbour(comm, 0, -1);
  comm->bottom = neighbour(comm, 0, 1);
  comm->top_left = neighbour(comm, -1, -1);
  comm->top_right = neighbour(comm, 1, -1);
  comm->bottom_left = neighbour(comm, -1, 1);
  comm->bottom_right = neighbour(comm, 1, 1);
  comm->buffer = malloc((size_t)comm->width * DIRECTIONS * 4 * sizeof *comm->buffer);
  if (comm->buffer == NULL) {
    fprintf(stderr, "lbm: no memory for the exchange\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

void comm_destroy(Comm *comm) { free(comm->buffer); }
