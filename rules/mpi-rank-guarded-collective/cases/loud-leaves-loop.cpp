// Rank 0 leaves the loop, the others wait for its broadcast.
#include <mpi.h>
#include <vector>

class Solver {
public:
  explicit Solver(MPI_Comm c) : comm(c) { MPI_Comm_rank(comm, &rank); }
  void run(std::vector<double> &x, int steps) {
    for (int step = 0; step < steps; step++) {
      for (double &v : x)
        v = 0.5 * v + 1.0;
      if (rank == 0 && x[0] > 1.9)
        break;
      // expect: mpi-rank-guarded-collective medium "never do, and whoever calls it hangs" "all ranks but 0 call"
      MPI_Bcast(x.data(), static_cast<int>(x.size()), MPI_DOUBLE, 0, comm);
    }
  }

private:
  MPI_Comm comm;
  int rank;
};

void solve(std::vector<double> &x, MPI_Comm comm) { Solver(comm).run(x, 100); }
