// Planes that lie apart, rows that go round a ring, and rows that arrive before they are passed on.
#include <mpi.h>
#include <stddef.h>

void planes_apart(double *f, int nx, int ny, int nz, int up, int down, MPI_Comm comm) {
  for (int v = 0; v < 5; v++)
    for (int k = 0; k < nz; k++)
      MPI_Sendrecv(f + ((size_t)k * 5 + v) * nx * ny, nx * ny, MPI_DOUBLE, up, 1, f + ((size_t)(k + nz) * 5 + v) * nx * ny,
                   nx * ny, MPI_DOUBLE, down, 1, comm, MPI_STATUS_IGNORE);
}

void handed_down(double *f, int row, int pitch, int rows, int next, int before, MPI_Comm comm) {
  for (int k = 0; k < rows; k++)
    MPI_Sendrecv(f + k * pitch, row, MPI_DOUBLE, next, 1, f + (k + 1) * pitch, row, MPI_DOUBLE, before, 1, comm,
                 MPI_STATUS_IGNORE);
}
