// Exchanges behind which a sum over all ranks, another message or no work comes, or that the program makes once.
#include "field.h"

static void swap(struct field *f, int tag) {
  MPI_Request requests[4];
  const int n = f->columns;
  MPI_Irecv(f->u, n, MPI_DOUBLE, f->left, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(f->u + (f->rows - 1) * n, n, MPI_DOUBLE, f->right, tag + 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(f->u + n, n, MPI_DOUBLE, f->left, tag + 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(f->u + (f->rows - 2) * n, n, MPI_DOUBLE, f->right, tag, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

// Nobody goes on before all have their borders.
void exchange(struct field *f) {
  swap(f, 0);
  // expect: mpi-redundant-barrier
  MPI_Barrier(MPI_COMM_WORLD);
}

void exchange_once(struct field *f) { swap(f, 2); }

void advance(struct field *f) {
  MPI_Request requests[2];
  const int n = f->columns;
  MPI_Irecv(f->in, n, MPI_DOUBLE, f->left, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(f->out, n, MPI_DOUBLE, f->right, 4, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  copy(f->next, f->u, f->rows, n);
}
