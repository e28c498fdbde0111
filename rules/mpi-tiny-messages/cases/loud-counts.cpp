// The number of values per message is computed, stored in a variable, chosen among few, or passed through a class.
#include <array>
#include <cstddef>
#include <mpi.h>
#include <vector>

template <typename T> MPI_Datatype typeOf();
template <> MPI_Datatype typeOf<double>() { return MPI_DOUBLE; }
template <> MPI_Datatype typeOf<float>() { return MPI_FLOAT; }

class Channel {
public:
  Channel(int rank, MPI_Comm comm) : rank(rank), comm(comm) {}
  template <typename T> void send(const T *values, std::size_t count) {
    // expect: mpi-tiny-messages high "to the same rank" "message"
    MPI_Send(values, static_cast<int>(count), typeOf<T>(), rank, 4, comm);
    sent += count * sizeof(T);
  }

private:
  int rank;
  MPI_Comm comm;
  std::size_t sent = 0;
};

using Cell = std::array<double, 9>;

static int components = 5;

void sendCells(Channel &channel, const std::vector<Cell> &cells) {
  for (const Cell &cell : cells)
    channel.send(cell.data(), cell.size());
}

void sendComponents(const double *values, int cells, int rank) {
  for (int i = 0; i < cells; ++i)
    // expect: mpi-tiny-messages high "to the same rank" "message"
    MPI_Send(values + i * components, components, MPI_DOUBLE, rank, 5, MPI_COMM_WORLD);
}

void sendMoments(const double *values, int cells, int rank, bool second) {
  const int moments = second ? 10 : 4;
  for (int i = 0; i < cells; ++i)
    // expect: mpi-tiny-messages high "to the same rank" "at most "
    MPI_Send(values + i * 10, moments, MPI_DOUBLE, rank, 6, MPI_COMM_WORLD);
}
