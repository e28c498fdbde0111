// Rows of an array whose sizes are variables of the program, exchanged one by one with both neighbours.
#include <mpi.h>
#include <stddef.h>

extern int columns, rows, levels, left, right;
#define AT(k, j) (((size_t)(k) * (rows + 2) + (j)) * (columns + 2))

void halo(double *a) {
  for (int k = 0; k < levels; k++) {
    // expect: mpi-tiny-messages medium "loop over 'k' sends" "to the same rank"
    MPI_Sendrecv(&a[AT(k, rows)], columns + 2, MPI_DOUBLE, right, k, &a[AT(k, 0)], columns + 2, MPI_DOUBLE, left, k,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // expect: mpi-tiny-messages medium "loop over 'k' sends" "to the same rank"
    MPI_Sendrecv(&a[AT(k, 1)], columns + 2, MPI_DOUBLE, left, k, &a[AT(k, rows + 1)], columns + 2, MPI_DOUBLE, right, k,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
