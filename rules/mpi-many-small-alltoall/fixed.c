// Twenty-four fields are transposed between the ranks by one exchange: what goes to one rank lies together.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define FIELDS 24
#define BLOCK 4
#define RANKS 60

static double out[FIELDS][RANKS * BLOCK], in[FIELDS][RANKS * BLOCK];
static double packed_out[RANKS][FIELDS][BLOCK], packed_in[RANKS][FIELDS][BLOCK];

static void transpose_fields(int size) {
  for (int r = 0; r < size; r++)
    for (int f = 0; f < FIELDS; f++)
      for (int i = 0; i < BLOCK; i++)
        packed_out[r][f][i] = out[f][r * BLOCK + i];
  MPI_Alltoall(packed_out, FIELDS * BLOCK, MPI_DOUBLE, packed_in, FIELDS * BLOCK, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int r = 0; r < size; r++)
    for (int f = 0; f < FIELDS; f++)
      for (int i = 0; i < BLOCK; i++)
        in[f][r * BLOCK + i] = packed_in[r][f][i];
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
    transpose_fields(size);
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
