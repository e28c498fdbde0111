#include "comm.h"

#include <mpi.h>

typedef enum { TRANSFER_SEND, TRANSFER_RECEIVE } Transfer;

static void sync_horizontal(Mesh *mesh, Transfer transfer, int target, int x) {
  switch (transfer) {
  case TRANSFER_SEND:
    // expect: mpi-send-recv-chain
    MPI_Send(mesh_cell(mesh, x, 1), (mesh->height - 2) * DIRECTIONS, MPI_DOUBLE, target, 0, MPI_COMM_WORLD);
    break;
  case TRANSFER_RECEIVE:
    MPI_Recv(mesh_cell(mesh, x, 1), (mesh->height - 2) * DIRECTIONS, MPI_DOUBLE, target, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    break;
  }
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

static void sync_vertical(Mesh *mesh, Transfer transfer, int target, int y, double *buffer) {
  const int values = (mesh->width - 2) * DIRECTIONS;
  if (target == MPI_PROC_NULL)
    return;
  switch (transfer) {
  case TRANSFER_SEND:
    copy_row_to_buffer(buffer, mesh, y);
    // expect: mpi-send-recv-chain
    // expect-run: mpi-send-recv-chain
    MPI_Send(buffer, values, MPI_DOUBLE, target, 0, MPI_COMM_WORLD);
    break;
  case TRANSFER_RECEIVE:
    MPI_Recv(buffer, values, MPI_DOUBLE, target, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    copy_row_from_buffer(mesh, buffer, y);
    break;
  }
}

static void sync_diagonal(Mesh *mesh, Transfer transfer, int target, int x, int y) {
  switch (transfer) {
  case TRANSFER_SEND:
    // expect: mpi-send-recv-chain
    MPI_Send(mesh_cell(mesh, x, y), DIRECTIONS, MPI_DOUBLE, target, 0, MPI_COMM_WORLD);
    break;
  case TRANSFER_RECEIVE:
    MPI_Recv(mesh_cell(mesh, x, y), DIRECTIONS, MPI_DOUBLE, target, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    break;
  }
}

void exchange_ghosts(const Comm *comm, Mesh *mesh) {
  const int last_x = mesh->width - 1;
  const int last_y = mesh->height - 1;

  // Left to right.
  sync_horizontal(mesh, TRANSFER_SEND, comm->right, last_x - 1);
  sync_horizontal(mesh, TRANSFER_RECEIVE, comm->left, 0);
  // Keeps the messages of the next direction apart from these.
  // expect: mpi-redundant-barrier
  // expect-run: mpi-redundant-barrier
  MPI_Barrier(MPI_COMM_WORLD);

  // Right to left.
  sync_horizontal(mesh, TRANSFER_SEND, comm->left, 1);
  sync_horizontal(mesh, TRANSFER_RECEIVE, comm->right, last_x);
  // expect: mpi-redundant-barrier
  // expect-run: mpi-redundant-barrier
  MPI_Barrier(MPI_COMM_WORLD);

  // Top to bottom.
  sync_vertical(mesh, TRANSFER_SEND, comm->bottom, last_y - 1, comm->buffer);
  sync_vertical(mesh, TRANSFER_RECEIVE, comm->top, 0, comm->buffer);
  // expect: mpi-redundant-barrier
  // expect-run: mpi-redundant-barrier
  MPI_Barrier(MPI_COMM_WORLD);

  // Bottom to top.
  sync_vertical(mesh, TRANSFER_SEND, comm->top, 1, comm->buffer);
  sync_vertical(mesh, TRANSFER_RECEIVE, comm->bottom, last_y, comm->buffer);
  // expect: mpi-redundant-barrier
  // expect-run: mpi-redundant-barrier
  MPI_Barrier(MPI_COMM_WORLD);

  // Towards the top left.
  sync_diagonal(mesh, TRANSFER_SEND, comm->top_left, 1, 1);
  sync_diagonal(mesh, TRANSFER_RECEIVE, comm->bottom_right, last_x, last_y);
  // expect: mpi-redundant-barrier
  // expect-run: mpi-redundant-barrier
  MPI_Barrier(MPI_COMM_WORLD);

  // Towards the bottom left.
  sync_diagonal(mesh, TRANSFER_SEND, comm->bottom_left, 1, last_y - 1);
  sync_diagonal(mesh, TRANSFER_RECEIVE, comm->top_right, last_x, 0);
  // expect: mpi-redundant-barrier
  // expect-run: mpi-redundant-barrier
  MPI_Barrier(MPI_COMM_WORLD);

  // Towards the top right.
  sync_diagonal(mesh, TRANSFER_SEND, comm->top_right, last_x - 1, 1);
  sync_diagonal(mesh, TRANSFER_RECEIVE, comm->bottom_left, 0, last_y);
  // expect: mpi-redundant-barrier
  // expect-run: mpi-redundant-barrier
  MPI_Barrier(MPI_COMM_WORLD);

  // Towards the bottom left.
  // expect: mpi-duplicate-exchange
  sync_diagonal(mesh, TRANSFER_SEND, comm->bottom_left, 1, last_y - 1);
  sync_diagonal(mesh, TRANSFER_RECEIVE, comm->top_right, last_x, 0);
  // expect: mpi-redundant-barrier
  // expect-run: mpi-redundant-barrier
  MPI_Barrier(MPI_COMM_WORLD);

  // Towards the bottom right.
  sync_diagonal(mesh, TRANSFER_SEND, comm->bottom_right, last_x - 1, last_y - 1);
  sync_diagonal(mesh, TRANSFER_RECEIVE, comm->top_left, 0, 0);
  // expect: mpi-redundant-barrier
  // expect-run: mpi-redundant-barrier
  MPI_Barrier(MPI_COMM_WORLD);

  // Bottom to top.
  // expect: mpi-duplicate-exchange
  sync_vertical(mesh, TRANSFER_SEND, comm->top, 1, comm->buffer);
  sync_vertical(mesh, TRANSFER_RECEIVE, comm->bottom, last_y, comm->buffer);
  // expect: mpi-redundant-barrier
  // expect-run: mpi-redundant-barrier
  MPI_Barrier(MPI_COMM_WORLD);
}
