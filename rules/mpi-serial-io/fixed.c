// Each rank owns a part of a field and writes it to its place in the file.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 20000
#define OUTPUTS 3

static void save(const char *name, const double *mine, int rank) {
  MPI_File out;
  if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &out) != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  const MPI_Offset begin = (MPI_Offset)rank * CELLS * (MPI_Offset)sizeof(double);
  MPI_File_write_at_all(out, begin, mine, CELLS, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&out);
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
    save("field.bin", mine, rank);
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
