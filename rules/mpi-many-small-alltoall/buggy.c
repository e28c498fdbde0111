// Twenty-four fields are transposed between the ranks, each by an exchange of its own: in each step one small block to
// each rank, twenty-four times.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define FIELDS 24
#define BLOCK 4
#define RANKS 60

static double out[FIELDS][RANKS * BLOCK], in[FIELDS][RANKS * BLOCK];

static void transpose_fields(void) {
  for (int f = 0; f < FIELDS; f++)
    // expect-run: mpi-many-small-alltoall medium "240 all-to-all calls of 4 ranks, 4 of them on one node, exchange blocks of 32 B: 12 transfers" "pack several exchanges into one call"
    MPI_Alltoall(out[f], BLOCK, MPI_DOUBLE, in[f], BLOCK, MPI_DOUBLE, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > RANKS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  const int steps = argc > 1 ? atoi(argv[1]) : 10;
  for (int f = 0; f < FIELDS; f++)
    for (int i = 0; i < size * BLOCK; i++)
      out[f][i] = (rank * 31 + f * 7 + i) % 17;
  for (int step = 0; step < steps; step++) {
    transpose_fields();
    for (int f = 0; f < FIELDS; f++)
      for (int i = 0; i < size * BLOCK; i++)
        out[f][i] = 0.5 * (out[f][i] + in[f][i]) + step % 3;
  }
  double sum = 0.0, total = 0.0;
  for (int f = 0; f < FIELDS; f++)
    for (int i = 0; i < size * BLOCK; i++)
      sum += out[f][i];
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f\n", total);
  MPI_Finalize();
  return 0;
}
