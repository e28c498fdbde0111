// A table on the terminal, in the order of the ranks.
#include <cstdio>
#include <iostream>
#include <mpi.h>
#include <vector>

void show(const std::vector<double> &mine, MPI_Comm comm) {
  int rank, size, n = static_cast<int>(mine.size());
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  std::vector<double> all(rank == 0 ? mine.size() * static_cast<std::size_t>(size) : 0);
  MPI_Gather(mine.data(), n, MPI_DOUBLE, all.data(), n, MPI_DOUBLE, 0, comm);
  if (rank == 0)
    for (double v : all)
      std::cout << v << '\n';
  for (int r = 0; r < size; ++r) {
    if (r == rank)
      std::printf("rank %d: %g\n", rank, mine[0]);
    MPI_Barrier(comm);
  }
}
