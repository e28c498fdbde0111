// Blocks of different lengths, written as text by the root.
#include <fstream>
#include <mpi.h>
#include <vector>

void write_all(const std::vector<double> &mine, const std::vector<int> &counts, const std::vector<int> &starts, int total,
               int root, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  std::vector<double> all(rank == root ? total : 0);
  MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, all.data(), counts.data(), starts.data(), MPI_DOUBLE,
              root, comm);
  if (rank == root) {
    std::ofstream out("field.txt");
    for (double v : all)
      // expect: mpi-serial-io medium
      out << v << '\n';
  }
}
