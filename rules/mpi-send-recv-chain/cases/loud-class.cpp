#include <mpi.h>
#include <vector>

class Halo {
public:
  Halo(int rank, int size, MPI_Comm comm)
      : Left(rank == 0 ? MPI_PROC_NULL : rank - 1), Right(rank == size - 1 ? MPI_PROC_NULL : rank + 1), Comm(comm) {}

  void exchange(std::vector<double> &ghost, const std::vector<double> &border) const {
    // expect: mpi-send-recv-chain medium "a chain as long as the ranks" "Right"
    MPI_Ssend(border.data(), static_cast<int>(border.size()), MPI_DOUBLE, Right, 1, Comm);
    MPI_Recv(ghost.data(), static_cast<int>(ghost.size()), MPI_DOUBLE, Left, 1, Comm, MPI_STATUS_IGNORE);
  }

private:
  int Left;
  int Right;
  MPI_Comm Comm;
};

void update(const Halo &halo, std::vector<double> &ghost, const std::vector<double> &border) {
  halo.exchange(ghost, border);
}
