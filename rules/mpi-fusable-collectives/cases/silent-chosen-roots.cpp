// Two broadcasts whose roots a search finds, each its own.
#include <mpi.h>
#include <vector>

void exchange(const std::vector<int> &all, int ranks, int *grow, int *shrink) {
  for (int step = 0; step < 100; ++step) {
    int least = 0, most = 0;
    for (int i = 0; i < ranks; ++i) {
      if (all[i] < grow[step])
        least = i;
      if (all[i] >= shrink[step])
        most = i;
    }
    int a[8] = {grow[0]}, b[8] = {shrink[0]};
    MPI_Bcast(a, 8, MPI_INT, most, MPI_COMM_WORLD);
    MPI_Bcast(b, 8, MPI_INT, least, MPI_COMM_WORLD);
    grow[step] += a[1];
    shrink[step] += b[1];
  }
}
