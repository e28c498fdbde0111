// As many neighbours as the partitioning of a mesh gives: all are sent to before any is received from.
#include <mpi.h>
#include <vector>

struct Interface {
  MPI_Comm comm;
  std::vector<int> neighbours;
  std::vector<std::vector<int>> rows;
  std::vector<std::vector<double>> packed;
  std::vector<int> first, count;

  void update(std::vector<double> &x) {
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      for (std::size_t j = 0; j < rows[k].size(); ++j)
        packed[k][j] = x[static_cast<std::size_t>(rows[k][j])];
      // expect: mpi-send-recv-chain low "a chain as long as the ranks" "neighbours[k]"
      MPI_Send(packed[k].data(), static_cast<int>(packed[k].size()), MPI_DOUBLE, neighbours[k], 7, comm);
    }
    for (std::size_t k = 0; k < neighbours.size(); ++k)
      MPI_Recv(&x[static_cast<std::size_t>(first[k])], count[k], MPI_DOUBLE, neighbours[k], 7, comm, MPI_STATUS_IGNORE);
  }
};

void multiply(Interface &border, std::vector<double> &x) { border.update(x); }
