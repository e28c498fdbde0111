// Rows of which each is sent on as it has come: the next level's is received where this one's was.
#include <mpi.h>
#include <stddef.h>

extern int columns, rows, levels, left, right;
#define AT(k, j) (((size_t)(k) * (rows + 2) + (j)) * (columns + 2))

void passOn(double *a) {
  for (int k = 1; k < levels; k++)
    MPI_Sendrecv(&a[AT(k, 1)], columns + 2, MPI_DOUBLE, right, k, &a[AT(k + 1, 1)], columns + 2, MPI_DOUBLE, left, k,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
