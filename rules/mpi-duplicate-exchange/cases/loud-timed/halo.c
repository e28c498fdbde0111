#include "field.h"
#include <mpi.h>
#include <string.h>

void exchange(struct field *f, double *a) {
  memcpy(f->out, a + f->n, f->n * sizeof *a);
  MPI_Sendrecv(f->out, f->n, MPI_DOUBLE, f->lower, 1, f->in, f->n, MPI_DOUBLE, f->upper, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  memcpy(a + 8 * f->n, f->in, f->n * sizeof *a);
}
