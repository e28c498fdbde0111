// Barriers between phases that touch this rank's memory only.
#include <cstddef>
#include <mpi.h>
#include <vector>

class Solver {
public:
  Solver(std::size_t size, MPI_Comm comm) : Now(size), Next(size), Comm(comm) {}

  void advance(int steps) {
    for (int step = 0; step < steps; ++step) {
      for (std::size_t i = 0; i < Now.size(); ++i)
        Next[i] = 0.5 * Now[i] + 1.0;
      // expect: mpi-redundant-barrier medium "in the loop at line 11"
      MPI_Barrier(Comm);
      for (std::size_t i = 0; i < Now.size(); ++i)
        Now[i] = Next[i] * Next[i];
    }
  }

private:
  std::vector<double> Now;
  std::vector<double> Next;
  MPI_Comm Comm;
};

void run(Solver &solver) { solver.advance(100); }
