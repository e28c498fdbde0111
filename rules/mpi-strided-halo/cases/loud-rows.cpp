// A vector of rows, cut into blocks of columns; messages are started and waited for together.
#include <mpi.h>
#include <vector>

using Field = std::vector<std::vector<double>>;

static void pack(std::vector<double> &buffer, const Field &field, int column) {
  for (std::size_t row = 0; row < field.size(); ++row)
    buffer[row] = field[row][column];
}

static void unpack(Field &field, const std::vector<double> &buffer, int column) {
  for (std::size_t row = 0; row < field.size(); ++row)
    field[row][column] = buffer[row];
}

class Halo {
public:
  Halo(int rank, int size, std::size_t rows)
      : left((rank + size - 1) % size), right((rank + 1) % size), toLeft(rows), toRight(rows), fromLeft(rows),
        fromRight(rows) {}

  void exchange(Field &field, int columns) {
    const int count = static_cast<int>(field.size());
    pack(toLeft, field, 1);
    pack(toRight, field, columns);
    MPI_Request requests[4];
    MPI_Irecv(fromLeft.data(), count, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(fromRight.data(), count, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
    // expect: mpi-strided-halo high "copied one by one to a buffer" "the halo of 'field'"
    MPI_Isend(toRight.data(), count, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(toLeft.data(), count, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    unpack(field, fromLeft, 0);
    unpack(field, fromRight, columns + 1);
  }

private:
  int left, right;
  std::vector<double> toLeft, toRight, fromLeft, fromRight;
};

void iterate(Field &field, int columns, int steps) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Halo halo(rank, size, field.size());
  for (int step = 0; step < steps; ++step) {
    halo.exchange(field, columns);
    for (auto &row : field)
      for (int x = 1; x <= columns; ++x)
        row[x] = 0.5 * row[x] + 0.25 * (row[x - 1] + row[x + 1]);
  }
}
