// The grid of ranks, and the exchange of ghost cells between neighbours.
#ifndef LBM_COMM_H
#define LBM_COMM_H

#include "config.h"
#include "mesh.h"

typedef struct {
  int rank;
  int size;
  int ranks_x;
  int ranks_y;
  int rank_x; // position of this rank in the grid
  int rank_y;
  int origin_x; // position in the domain of this rank's first cell
  int origin_y;
  int width; // of this rank's part, with the ghost cells
  int height;
  // Neighbours, MPI_PROC_NULL at the edge of the domain.
  int left;
  int right;
  int top;
  int bottom;
  int top_left;
  int top_right;
  int bottom_left;
  int bottom_right;
  double *buffer; // rows on their way out and in, for the exchanges that need them in one piece
} Comm;

void comm_create(Comm *comm, const Config *config);
void comm_destroy(Comm *comm);

/// Fills the ghost cells of `mesh` with the neighbours' border cells.
void exchange_ghosts(const Comm *comm, Mesh *mesh);

#endif
