// Rank 0 hands out the coefficients and its blocks of the vector one rank after another, and collects the results in
// the same way: 3 (p - 1) messages that wait for each other.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define COEFFICIENTS 64
#define BLOCK 5000

static void share_coefficients(double *c, int rank, int size) {
  if (rank == 0) {
    for (int r = 1; r < size; r++)
      // expect: mpi-handmade-collective high "sends the same data to one rank after another" "'r' over the ranks"
      // expect-run: mpi-handmade-collective "rank 0 sends the same data to all 3 others one by one, 1 times" "MPI_Bcast"
      MPI_Send(c, COEFFICIENTS, MPI_DOUBLE, r, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(c, COEFFICIENTS, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void deal(const double *all, double *mine, int rank, int size) {
  if (rank == 0) {
    for (int i = 0; i < BLOCK; i++)
      mine[i] = all[i];
    for (int r = 1; r < size; r++)
      // expect: mpi-handmade-collective high "sends each rank its block, one after another" "'r' over the ranks"
      // expect-run: mpi-handmade-collective "rank 0 sends to all 3 others one by one, 1 times" "MPI_Scatter or MPI_Scatterv"
      MPI_Send(&all[(size_t)r * BLOCK], BLOCK, MPI_DOUBLE, r, 1, MPI_COMM_WORLD);
  } else {
    MPI_Recv(mine, BLOCK, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static double collect(double part, int rank, int size) {
  if (rank != 0) {
    MPI_Send(&part, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    return part;
  }
  double sum = part;
  for (int r = 1; r < size; r++) {
    double other;
    // expect: mpi-handmade-collective high "receives from one rank after another and adds up" "'r' over the ranks"
    // expect-run: mpi-handmade-collective "rank 0 receives into one buffer from all 3 others one by one, 1 times" "MPI_Reduce"
    MPI_Recv(&other, 1, MPI_DOUBLE, r, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum += other;
  }
  return sum;
}

// A shift along the ranks: one neighbour each, nothing that a collective call would do.
static double shift(double value, int rank, int size) {
  double from = 0.0;
  MPI_Sendrecv(&value, 1, MPI_DOUBLE, (rank + 1) % size, 3, &from, 1, MPI_DOUBLE, (rank + size - 1) % size, 3,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return from;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double c[COEFFICIENTS], *mine = malloc(sizeof(double) * BLOCK), *all = NULL;
  if (rank == 0) {
    all = malloc(sizeof(double) * BLOCK * (size_t)size);
    for (int i = 0; i < BLOCK * size; i++)
      all[i] = i % 17;
    for (int i = 0; i < COEFFICIENTS; i++)
      c[i] = 1.0 / (i + 1);
  }
  share_coefficients(c, rank, size);
  deal(all, mine, rank, size);
  double part = 0.0;
  for (int i = 0; i < BLOCK; i++)
    part += mine[i] * c[i % COEFFICIENTS];
  part += 0.0 * shift(part, rank, size);
  double sum = collect(part, rank, size);
  if (rank == 0)
    printf("%.6f\n", sum);
  free(mine);
  free(all);
  MPI_Finalize();
  return 0;
}
