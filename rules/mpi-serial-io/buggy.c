// Each rank owns a part of a field; rank 0 collects it all and writes the file, step after step.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 20000
#define OUTPUTS 3

static void save(const char *name, const double *mine, int rank, int size) {
  double *all = NULL;
  if (rank == 0)
    all = malloc(sizeof(double) * CELLS * (size_t)size);
  // expect-run: mpi-serial-io "rank 0 collects 160,000 B from each of 4 ranks, 3 times, and is then busy alone" "write with MPI-IO"
  MPI_Gather(mine, CELLS, MPI_DOUBLE, all, CELLS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    FILE *out = fopen(name, "wb");
    if (!out)
      MPI_Abort(MPI_COMM_WORLD, 1);
    // expect: mpi-serial-io high
    fwrite(all, sizeof(double), CELLS * (size_t)size, out);
    fclose(out);
    free(all);
  }
}

// A few numbers per rank are a report, not output.
static void report(double time, int rank, int size) {
  double *times = malloc(sizeof(double) * (size_t)size);
  MPI_Gather(&time, 1, MPI_DOUBLE, times, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  FILE *log = rank == 0 ? fopen("times.log", "w") : NULL;
  if (log) {
    for (int r = 0; r < size; r++)
      fprintf(log, "%d %g\n", r, times[r]);
    fclose(log);
    remove("times.log");
  }
  free(times);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double *mine = malloc(sizeof(double) * CELLS), sum = 0.0, total = 0.0;
  for (int i = 0; i < CELLS; i++)
    mine[i] = rank + 1.0 / (i + 1);
  for (int k = 0; k < OUTPUTS; k++) {
    for (int i = 0; i < CELLS; i++)
      mine[i] *= 0.5;
    save("field.bin", mine, rank, size);
  }
  report(mine[0], rank, size);
  for (int i = 0; i < CELLS; i++)
    sum += mine[i];
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%.6f\n", total);
    remove("field.bin");
  }
  free(mine);
  MPI_Finalize();
  return 0;
}
