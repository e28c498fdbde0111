// Blocks of different lengths, received into their places; members of a class.
#include <mpi.h>
#include <vector>

class Field {
public:
  explicit Field(MPI_Comm c) : comm(c) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
  void collect(const std::vector<double> &mine, std::vector<double> &all, const std::vector<int> &counts,
               const std::vector<int> &starts) const {
    if (rank == 0) {
      for (int r = 1; r < size; ++r)
        // expect: mpi-handmade-collective high "receives a block from one rank after another" "'r' over the ranks"
        MPI_Recv(&all[starts[r]], counts[r], MPI_DOUBLE, r, 7, comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, 0, 7, comm);
    }
  }

private:
  MPI_Comm comm;
  int rank, size;
};

void gather(MPI_Comm comm, const std::vector<double> &mine, std::vector<double> &all, const std::vector<int> &counts,
            const std::vector<int> &starts) {
  Field(comm).collect(mine, all, counts, starts);
}
