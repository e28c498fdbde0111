#include <mpi.h>

extern int my_rank;

class Grid {
public:
  explicit Grid(MPI_Comm comm);
  bool root() const { return own == 0; }

private:
  MPI_Comm comm;
  int own, all;
};
