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

static void sync_vertical(Mesh *mesh, Transfer transfer, int target, int y) {
  switch (transfer) {
  case TRANSFER_SEND:
    for (int x = 1; x < mesh->width - 1; x++)
      for (int k = 0; k < DIRECTIONS; k++)
        // expect: mpi-tiny-messages
        // expect: mpi-send-recv-chain
        // expect-run: mpi-tiny-messages
        // expect-run: mpi-send-recv-chain
        MPI_Send(&mesh_cell(mesh, x, y)[k], 1, MPI_DOUBLE, target, 0, MPI_COMM_WORLD);
    break;
  case TRANSFER_RECEIVE:
    for (int x = 1; x < mesh->width - 1; x++)
      for (int k = 0; k < DIRECTIONS; k++)
        MPI_Recv(&mesh_cell(mesh, x, y)[k], 1, MPI_DOUBLE, target, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
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
  sync_vertical(mesh, TRANSFER_SEND, comm->bottom, last_y - 1);
  sync_vertical(mesh, TRANSFER_RECEIVE, comm->top, 0);
  // expect: mpi-redundant-barrier
  // expect-run: mpi-redundant-barrier
  MPI_Barrier(MPI_COMM_WORLD);

  // Bottom to top.
  sync_vertical(mesh, TRANSFER_SEND, comm->top, 1);
  sync_vertical(mesh, TRANSFER_RECEIVE, comm->bottom, last_y);
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
  sync_vertical(mesh, TRANSFER_SEND, comm->top, 1);
  sync_vertical(mesh, TRANSFER_RECEIVE, comm->bottom, last_y);
  // expect: mpi-redundant-barrier
  // expect-run: mpi-redundant-barrier
  MPI_Barrier(MPI_COMM_WORLD);
}
