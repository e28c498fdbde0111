// One rank writes the file, and others in some steps.
#include <mpi.h>
#include <stdio.h>

void advance(double *u, int n, int steps, int left, int right, const double *due) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < steps; step++) {
    MPI_Sendrecv(u + 1, 1, MPI_DOUBLE, left, 0, u + n - 1, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i < n - 1; i++)
      u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 || due[step] / u[1] > u[2]) {
      FILE *file = fopen("history", "a");
      if (file != NULL) {
        fprintf(file, "%d %g\n", step, u[1]);
        fclose(file);
      }
    }
  }
}
