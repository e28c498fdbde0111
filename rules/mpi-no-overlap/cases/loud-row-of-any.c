// A row of a table is received; whether the array that the loop works on is the storage of those rows, the source does
// not say: low.
#include <mpi.h>

void source(double **rows, double *strength, int height, int width, int up, MPI_Comm comm) {
  MPI_Request pending;
  MPI_Irecv(rows[0], width, MPI_DOUBLE, up, 0, comm, &pending);
  // expect: mpi-no-overlap low "although the loop over 'i' at line 10 may work on other data" "MPI_Wait"
  MPI_Wait(&pending, MPI_STATUS_IGNORE);
  for (int i = 1; i < height; i++)
    for (int j = 0; j < width; j++)
      strength[i * width + j] = 0.5 * strength[i * width + j] + i;
}
