// Maxima, minima and flags that one rank makes of what the others send are reductions.
#include <mpi.h>

enum { TagSettings = 1, TagBest = 2, TagFlags = 3, TagRange = 4 };

double largest(int rank, int ranks, double mine) {
  double best = mine, other;
  if (rank == 0) {
    for (int r = 1; r < ranks; r++) {
      // expect: mpi-handmade-collective medium "receives from one rank after another and combines the values" "those of MPI_Reduce"
      MPI_Recv(&other, 1, MPI_DOUBLE, r, TagBest, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (other > best)
        best = other;
    }
  } else {
    MPI_Send(&mine, 1, MPI_DOUBLE, 0, TagBest, MPI_COMM_WORLD);
  }
  return best;
}

int any(int rank, int ranks, int flags) {
  if (rank == 0) {
    for (int r = 1; r < ranks; r++) {
      int other;
      // expect: mpi-handmade-collective medium "combines the values" "those of MPI_Reduce"
      MPI_Recv(&other, 1, MPI_INT, r, TagFlags, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      flags |= other;
    }
  } else {
    MPI_Send(&flags, 1, MPI_INT, 0, TagFlags, MPI_COMM_WORLD);
  }
  return flags;
}

void lowest(int rank, int ranks, double *low, double *other, int n) {
  if (rank == 0) {
    for (int r = 1; r < ranks; r++) {
      // expect: mpi-handmade-collective medium "combines the values" "those of MPI_Reduce"
      MPI_Recv(other, n, MPI_DOUBLE, r, TagRange, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < n; i++)
        if (other[i] < low[i])
          low[i] = other[i];
    }
  } else {
    MPI_Send(low, n, MPI_DOUBLE, 0, TagRange, MPI_COMM_WORLD);
  }
}

// What is kept is the last one above a bound, not the largest.
double above(int rank, int ranks, double mine, double bound) {
  double kept = mine, other;
  if (rank == 0) {
    for (int r = 1; r < ranks; r++) {
      // expect: mpi-handmade-collective medium "receives a block from one rank after another"
      MPI_Recv(&other, 1, MPI_DOUBLE, r, TagBest, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (other > bound)
        kept = other;
    }
  } else {
    MPI_Send(&mine, 1, MPI_DOUBLE, 0, TagBest, MPI_COMM_WORLD);
  }
  return kept;
}
