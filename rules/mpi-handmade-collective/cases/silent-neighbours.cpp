// Neighbours from a list, and partners that have something to say.
#include <mpi.h>
#include <vector>

struct Link {
  int rank;
  std::vector<double> out, in;
};

void exchange(std::vector<Link> &links, MPI_Comm comm) {
  std::vector<MPI_Request> requests(2 * links.size());
  std::size_t k = 0;
  for (Link &l : links)
    MPI_Irecv(l.in.data(), static_cast<int>(l.in.size()), MPI_DOUBLE, l.rank, 0, comm, &requests[k++]);
  for (Link &l : links)
    MPI_Isend(l.out.data(), static_cast<int>(l.out.size()), MPI_DOUBLE, l.rank, 0, comm, &requests[k++]);
  MPI_Waitall(static_cast<int>(k), requests.data(), MPI_STATUSES_IGNORE);
}

void migrate(const std::vector<int> &counts, const double *particles, const int *start, MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  for (int r = 0; r < size; r++)
    if (counts[r] > 0)
      MPI_Send(particles + start[r], counts[r], MPI_DOUBLE, r, 1, comm);
}
