// Vectors of vectors, a flattened array with a computed offset, and helpers that receive into what they are given.
#include <mpi.h>
#include <vector>

using Rows = std::vector<std::vector<double>>;

static void receive(double *into, int count, int from, MPI_Request *request) {
  MPI_Irecv(into, count, MPI_DOUBLE, from, 3, MPI_COMM_WORLD, request);
}

void smooth(Rows &field, Rows &fresh, int at, int from) {
  MPI_Request request;
  receive(field[at].data(), static_cast<int>(field[at].size()), from, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (std::size_t row = 1; row + 1 < field.size(); row++)
    for (std::size_t column = 0; column < field[row].size(); column++)
      fresh[row][column] = 0.5 * (field[row - 1][column] + field[row + 1][column]);
}

void flat(double *u, double *fresh, int rows, int columns, int at, int from) {
  MPI_Request request;
  receive(u + at * columns, columns, from, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++)
      fresh[row * columns + column] = 2.0 * u[row * columns + column];
}
