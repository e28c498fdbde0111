// Rows of a size that only the run knows, exchanged one by one with both neighbours, or reduced one by one; faces of blocks
// in a table.
#include <mpi.h>
#include <stddef.h>

void exchange_rows(double *f, int row, int plane, int ny, int nz, int up, int down, MPI_Comm comm) {
  for (int k = 1; k <= nz; k++) {
    // expect: mpi-tiny-messages medium "loop over 'k' sends 8 * 6 * row bytes" "rows lie a constant step apart"
    MPI_Sendrecv(f + k * plane + ny * row, 6 * row, MPI_DOUBLE, up, 1, f + k * plane, 6 * row, MPI_DOUBLE, down, 1, comm,
                 MPI_STATUS_IGNORE);
    // expect: mpi-tiny-messages medium
    MPI_Sendrecv(f + k * plane + row, 6 * row, MPI_DOUBLE, down, 2, f + k * plane + (ny + 1) * row, 6 * row, MPI_DOUBLE, up,
                 2, comm, MPI_STATUS_IGNORE);
  }
}

// Both directions with one neighbour.
void exchange_planes(double *top, double *bottom, double *up, double *down, int n, int nz, int above, MPI_Comm comm) {
  for (int k = 0; k < nz; k++) {
    // expect: mpi-tiny-messages medium "the range is contiguous"
    MPI_Sendrecv(top + k * n, n, MPI_DOUBLE, above, 3, down + k * n, n, MPI_DOUBLE, above, 3, comm, MPI_STATUS_IGNORE);
    // expect: mpi-tiny-messages medium "the range is contiguous"
    MPI_Sendrecv(bottom + k * n, n, MPI_DOUBLE, above, 4, up + k * n, n, MPI_DOUBLE, above, 4, comm, MPI_STATUS_IGNORE);
  }
}

// Rows through pointers.
void add_rows(double **g, int n, MPI_Comm comm) {
  for (int i = 1; i <= n; i++)
    // expect: mpi-tiny-messages medium "loop over 'i' passes 8 * n bytes per call" "copy the elements to one buffer"
    MPI_Allreduce(MPI_IN_PLACE, &g[i][1], n, MPI_DOUBLE, MPI_SUM, comm);
}

struct block {
  int ni, id, jd, kd;
  double *nut;
};

void exchange_faces(struct block *blocks, int count, const int *owner, MPI_Comm comm) {
  for (int b = 0; b < count; b++) {
    struct block *l = owner[b] % 2 ? &blocks[b] : &blocks[count - 1 - b];
    for (int k = 0; k < l->kd; k++)
      for (int j = 0; j < l->jd; j++)
        // expect: mpi-tiny-messages high "loop over 'k' and 'j' sends 8 bytes"
        MPI_Sendrecv(&l->nut[l->ni + l->id * (j + l->jd * k)], 1, MPI_DOUBLE, owner[b], j,
                     &l->nut[l->id * (j + l->jd * k)], 1, MPI_DOUBLE, owner[b], j, comm, MPI_STATUS_IGNORE);
  }
}
