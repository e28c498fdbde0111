// Two broadcasts from one root that a search finds.
#include <mpi.h>
#include <vector>

void exchange(const std::vector<int> &all, int ranks, int *grow, int *shrink) {
  for (int step = 0; step < 100; ++step) {
    int most = 0;
    for (int i = 0; i < ranks; ++i)
      if (all[i] >= shrink[step])
        most = i;
    int a[8] = {grow[0]}, b[8] = {shrink[0]};
    // expect: mpi-fusable-collectives low "2 calls of MPI_Bcast"
    MPI_Bcast(a, 8, MPI_INT, most, MPI_COMM_WORLD);
    MPI_Bcast(b, 8, MPI_INT, most, MPI_COMM_WORLD);
    grow[step] += a[1];
    shrink[step] += b[1];
  }
}
