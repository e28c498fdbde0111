// The column is copied to a buffer and sent in one piece.
#include <mpi.h>
#include <stddef.h>

void send_column(double *buffer, const double *field, size_t rows, size_t pitch, size_t column, int target) {
  for (size_t i = 0; i < rows; i++)
    buffer[i] = field[i * pitch + column];
  MPI_Send(buffer, (int)rows, MPI_DOUBLE, target, 0, MPI_COMM_WORLD);
}
