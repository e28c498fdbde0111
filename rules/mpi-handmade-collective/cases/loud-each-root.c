#include <mpi.h>

#define LENGTH 64

// What every rank knows of itself, all are to know.
void collect_names(char (*names)[LENGTH]) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int r = 0; r < size; r++)
    // expect: mpi-handmade-collective high "one MPI_Allgather"
    MPI_Bcast(names[r], LENGTH, MPI_CHAR, r, MPI_COMM_WORLD);
}

// A block for each rank, added up there.
void add_blocks(const double *mine, double *sum, int n) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int r = 0; r < size; r++)
    // expect: mpi-handmade-collective high "MPI_Reduce_scatter"
    MPI_Reduce(mine + r * n, sum, n, MPI_DOUBLE, MPI_SUM, r, MPI_COMM_WORLD);
}

// Of different lengths.
void collect_lists(double *all, const int *counts, const int *places) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int r = 0; r < size; r++)
    // expect: mpi-handmade-collective medium "MPI_Allgatherv"
    MPI_Bcast(all + places[r], counts[r], MPI_DOUBLE, r, MPI_COMM_WORLD);
}

// Messages of any source come later, and have nothing to do with it.
int serve(char (*names)[LENGTH], double *in, MPI_Request *pending) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int r = 0; r < size; r++)
    // expect: mpi-handmade-collective high "one MPI_Allgather"
    MPI_Bcast(names[r], LENGTH, MPI_CHAR, r, MPI_COMM_WORLD);
  return MPI_Recv_init(in, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, pending);
}

// How many ranks there are is another unit's to ask.
extern int ranks;
void collect_boxes(double (*boxes)[6]) {
  for (int r = 0; r < ranks; r++)
    // expect: mpi-handmade-collective medium "one MPI_Allgather"
    MPI_Bcast(boxes[r], 6, MPI_DOUBLE, r, MPI_COMM_WORLD);
}

// Rows whose owners are dealt out: the first of them is no rank for sure.
void collect_rows(double *rows, int first, int last, int n) {
  for (int k = first; k < last; k++)
    MPI_Bcast(rows + k * n, n, MPI_DOUBLE, k, MPI_COMM_WORLD);
}
