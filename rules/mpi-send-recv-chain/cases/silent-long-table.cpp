// As many neighbours as the partitioning of a mesh gives, with the receives posted first; and a table of workers that are
// handed parts and asked for results.
#include <mpi.h>
#include <vector>

struct Interface {
  MPI_Comm comm;
  std::vector<int> neighbours;
  std::vector<std::vector<int>> rows;
  std::vector<std::vector<double>> packed;
  std::vector<int> first, count;

  void update(std::vector<double> &x) {
    std::vector<MPI_Request> requests(neighbours.size());
    for (std::size_t k = 0; k < neighbours.size(); ++k)
      MPI_Irecv(&x[static_cast<std::size_t>(first[k])], count[k], MPI_DOUBLE, neighbours[k], 7, comm, &requests[k]);
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      for (std::size_t j = 0; j < rows[k].size(); ++j)
        packed[k][j] = x[static_cast<std::size_t>(rows[k][j])];
      MPI_Send(packed[k].data(), static_cast<int>(packed[k].size()), MPI_DOUBLE, neighbours[k], 7, comm);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
};

void multiply(Interface &border, std::vector<double> &x) { border.update(x); }

void hand_out(const std::vector<int> &workers, std::vector<std::vector<double>> &parts, MPI_Comm comm) {
  for (std::size_t w = 0; w < workers.size(); ++w)
    MPI_Send(parts[w].data(), static_cast<int>(parts[w].size()), MPI_DOUBLE, workers[w], 1, comm);
  for (std::size_t w = 0; w < workers.size(); ++w)
    MPI_Recv(parts[w].data(), static_cast<int>(parts[w].size()), MPI_DOUBLE, workers[w], 2, comm, MPI_STATUS_IGNORE);
}
