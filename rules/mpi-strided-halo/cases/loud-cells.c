// Cells of nine values: a row of cells is copied cell by cell, because a column is what lies contiguous.
#include <mpi.h>
#include <string.h>

#define VALUES 9

typedef struct {
  double *cells;
  int width, height;
  double *row;
} Mesh;

static inline double *cell(const Mesh *mesh, int x, int y) { return &mesh->cells[(x * mesh->height + y) * VALUES]; }

static void send_row(const Mesh *mesh, int y, int rank) {
  for (int x = 0; x < mesh->width; x++)
    memcpy(mesh->row + x * VALUES, cell(mesh, x, y), VALUES * sizeof(double));
  // expect: mpi-strided-halo high "copied one by one to a buffer" "pieces of 72 bytes"
  MPI_Send(mesh->row, mesh->width * VALUES, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD);
}

static void receive_row(Mesh *mesh, int y, int rank) {
  MPI_Recv(mesh->row, mesh->width * VALUES, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int x = 0; x < mesh->width; x++)
    for (int k = 0; k < VALUES; k++)
      cell(mesh, x, y)[k] = mesh->row[x * VALUES + k];
}

void exchange(Mesh *mesh) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int below = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  if (rank % 2 == 0) {
    send_row(mesh, mesh->height - 2, below);
    receive_row(mesh, 0, above);
    send_row(mesh, 1, above);
    receive_row(mesh, mesh->height - 1, below);
  } else {
    receive_row(mesh, 0, above);
    send_row(mesh, mesh->height - 2, below);
    receive_row(mesh, mesh->height - 1, below);
    send_row(mesh, 1, above);
  }
}
