// Rank and size are members of a small record that is passed by value, in registers.
#include <mpi.h>
#include <vector>

struct Layout {
  int ranks, own;
  int left, right;
  Layout() {
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    left = own > 0 ? own - 1 : MPI_PROC_NULL;
    right = own < ranks - 1 ? own + 1 : MPI_PROC_NULL;
  }
};

void gather(const std::vector<double> &part, std::vector<double> &whole, const Layout layout) {
  const int count = static_cast<int>(part.size());
  if (0 == layout.own) {
    for (int p = 1; p < layout.ranks; p++)
      // expect: mpi-handmade-collective high "receives a block from one rank after another" "'p' over the ranks"
      MPI_Recv(&whole[p * count], count, MPI_DOUBLE, p, 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(part.data(), count, MPI_DOUBLE, 0, 22, MPI_COMM_WORLD);
  }
}

// The neighbours are no row of ranks.
void shift(std::vector<double> &part, const Layout layout) {
  const int count = static_cast<int>(part.size());
  for (int p = layout.left; p < layout.right; p++)
    if (p == layout.left)
      MPI_Sendrecv_replace(part.data(), count, MPI_DOUBLE, layout.right, 1, p, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
