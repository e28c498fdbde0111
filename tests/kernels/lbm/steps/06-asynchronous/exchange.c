#include "comm.h"

#include <mpi.h>

/// All transfers of one exchange: two for each of the eight neighbours.
typedef struct {
  MPI_Request requests[16];
  int count;
} Transfers;

static void receive(Transfers *transfers, double *values, int count, int source) {
  MPI_Irecv(values, count, MPI_DOUBLE, source, 0, MPI_COMM_WORLD, &transfers->requests[transfers->count++]);
}

static void send(Transfers *transfers, const double *values, int count, int target) {
  MPI_Isend(values, count, MPI_DOUBLE, target, 0, MPI_COMM_WORLD, &transfers->requests[transfers->count++]);
}

static void copy_row_to_buffer(double *buffer, const Mesh *mesh, int y) {
  for (int x = 1; x < mesh->width - 1; x++)
    for (int k = 0; k < DIRECTIONS; k++)
      buffer[(x - 1) * DIRECTIONS + k] = mesh_cell(mesh, x, y)[k];
}

static void copy_row_from_buffer(Mesh *mesh, const double *buffer, int y) {
  for (int x = 1; x < mesh->width - 1; x++)
    for (int k = 0; k < DIRECTIONS; k++)
      mesh_cell(mesh, x, y)[k] = buffer[(x - 1) * DIRECTIONS + k];
}

void exchange_ghosts(const Comm *comm, Mesh *mesh) {
  const int last_x = mesh->width - 1;
  const int last_y = mesh->height - 1;
  const int row = (mesh->width - 2) * DIRECTIONS;
  const int column = (mesh->height - 2) * DIRECTIONS;
  double *from_top = comm->buffer;
  double *from_bottom = from_top + row;
  double *to_top = from_bottom + row;
  double *to_bottom = to_top + row;
  Transfers transfers = {.count = 0};

  receive(&transfers, mesh_cell(mesh, 0, 1), column, comm->left);
  receive(&transfers, mesh_cell(mesh, last_x, 1), column, comm->right);
  receive(&transfers, from_top, row, comm->top);
  receive(&transfers, from_bottom, row, comm->bottom);
  receive(&transfers, mesh_cell(mesh, 0, 0), DIRECTIONS, comm->top_left);
  receive(&transfers, mesh_cell(mesh, last_x, 0), DIRECTIONS, comm->top_right);
  receive(&transfers, mesh_cell(mesh, 0, last_y), DIRECTIONS, comm->bottom_left);
  receive(&transfers, mesh_cell(mesh, last_x, last_y), DIRECTIONS, comm->bottom_right);

  send(&transfers, mesh_cell(mesh, 1, 1), column, comm->left);
  send(&transfers, mesh_cell(mesh, last_x - 1, 1), column, comm->right);
  copy_row_to_buffer(to_top, mesh, 1);
  send(&transfers, to_top, row, comm->top);
  copy_row_to_buffer(to_bottom, mesh, last_y - 1);
  send(&transfers, to_bottom, row, comm->bottom);
  send(&transfers, mesh_cell(mesh, 1, 1), DIRECTIONS, comm->top_left);
  send(&transfers, mesh_cell(mesh, last_x - 1, 1), DIRECTIONS, comm->top_right);
  send(&transfers, mesh_cell(mesh, 1, last_y - 1), DIRECTIONS, comm->bottom_left);
  send(&transfers, mesh_cell(mesh, last_x - 1, last_y - 1), DIRECTIONS, comm->bottom_right);

  // may-run: mpi-no-overlap, mpi-late-sender
  MPI_Waitall(transfers.count, transfers.requests, MPI_STATUSES_IGNORE);
  if (comm->top != MPI_PROC_NULL)
    copy_row_from_buffer(mesh, from_top, 0);
  if (comm->bottom != MPI_PROC_NULL)
    copy_row_from_buffer(mesh, from_bottom, last_y);
}
