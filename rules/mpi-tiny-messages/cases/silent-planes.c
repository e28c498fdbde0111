// A message per plane: each is a whole border, described by a datatype or of a length that may be anything.
#include <mpi.h>

void send_borders(const double *box, int nx, int ny, int nz, int rank) {
  MPI_Datatype column;
  MPI_Type_vector(ny, 1, nx, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int z = 0; z < nz; z++)
    MPI_Send(&box[(z * ny) * nx], 1, column, rank, 0, MPI_COMM_WORLD);
  MPI_Type_free(&column);
}

void send_rows(const double *box, int nx, int ny, int rank) {
  const int length = nx > 4096 ? 4096 : nx;
  for (int y = 0; y < ny; y++)
    MPI_Send(&box[y * nx], length, MPI_DOUBLE, rank, 1, MPI_COMM_WORLD);
}

void send_pages(const double *pages, int count, int rank) {
  MPI_Datatype page;
  MPI_Type_contiguous(1024, MPI_DOUBLE, &page);
  MPI_Type_commit(&page);
  for (int i = 0; i < count; i++)
    MPI_Send(&pages[i * 1024], 1, page, rank, 2, MPI_COMM_WORLD);
  MPI_Type_free(&page);
}
