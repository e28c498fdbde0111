// One wrapper for all barriers: some of its uses order the output, others nothing.
#include <cstdio>
#include <mpi.h>
#include <stdexcept>
#include <vector>

class Communicator {
public:
  explicit Communicator(MPI_Comm comm) : comm(comm) {
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &all);
  }
  void barrier() const {
    if (MPI_Barrier(comm) != MPI_SUCCESS)
      throw std::runtime_error("barrier failed");
  }
  int rank() const { return own; }
  int size() const { return all; }
  MPI_Comm raw() const { return comm; }

private:
  MPI_Comm comm;
  int own = 0, all = 1;
};

void advance(const Communicator &comm, std::vector<double> &u, int steps) {
  int n = static_cast<int>(u.size());
  int up = comm.rank() + 1 < comm.size() ? comm.rank() + 1 : MPI_PROC_NULL;
  int down = comm.rank() > 0 ? comm.rank() - 1 : MPI_PROC_NULL;
  for (int step = 0; step < steps; step++) {
    MPI_Sendrecv(&u[n - 2], 1, MPI_DOUBLE, up, 0, &u[0], 1, MPI_DOUBLE, down, 0, comm.raw(), MPI_STATUS_IGNORE);
    // expect: mpi-redundant-barrier medium "in the loop at line 30"
    comm.barrier();
    for (int i = 1; i < n - 1; i++)
      u[i] = 0.5 * (u[i - 1] + u[i]);
  }
}

void print_in_order(const Communicator &comm, const std::vector<double> &u) {
  for (int turn = 0; turn < comm.size(); turn++) {
    if (turn == comm.rank()) {
      std::printf("rank %d: %g\n", turn, u[1]);
      std::fflush(stdout);
    }
    comm.barrier();
  }
}
