// Rows that lie apart, one by one: sent alone, copied to a buffer first, or of which the iteration unpacks what has
// come the other way into the same level. From the middle outwards they part.
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

void every_fourth(const double *a, int n, int rows, int target) {
  for (int i = 0; i < rows; i += 4)
    // expect: mpi-tiny-messages medium "sends 8 * n bytes per message" "rows lie a constant step apart"
    MPI_Send(a + (size_t)i * n, n, MPI_DOUBLE, target, 0, MPI_COMM_WORLD);
}

// The length is a difference of two numbers.
void without_border(const double *a, int first, int last, int pitch, int rows, int target) {
  for (int i = 0; i < rows; i++)
    // expect: mpi-tiny-messages medium "sends 8 * (last - first + 1) bytes per message"
    MPI_Send(a + (size_t)i * pitch + first, last - first + 1, MPI_DOUBLE, target, 0, MPI_COMM_WORLD);
}

struct cell {
  double charge, field;
};

void add_charge(struct cell *grid, int nx, int ny, size_t plane, int up, int down) {
  double *out = malloc(2 * nx * sizeof(double)), *in = out + nx;
  for (int j = 0; j < ny; j++) {
    for (int i = 0; i < nx; i++)
      out[i] = grid[plane + (size_t)j * nx + i].charge;
    // expect: mpi-tiny-messages medium "loop over 'j' sends 8 * nx bytes per message" "copy the elements to one buffer"
    MPI_Sendrecv(out, nx, MPI_DOUBLE, up, 1, in, nx, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < nx; i++)
      grid[(size_t)j * nx + i].charge += in[i];
  }
  free(out);
}

// Known to be two kilobytes.
void known_rows(const double (*a)[300], int rows, int target) {
  for (int i = 0; i < rows; i++)
    // expect: mpi-tiny-messages medium "sends 2048 bytes per message"
    MPI_Send(a[i], 256, MPI_DOUBLE, target, 0, MPI_COMM_WORLD);
}

// A level's exchange, called for each of them: said where the levels are.
static void exchange(double *f, int row, int rows, int north, int south, double *side) {
  MPI_Sendrecv(f + (size_t)rows * row, row, MPI_DOUBLE, north, 1, f, row, MPI_DOUBLE, south, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(f + row, row, MPI_DOUBLE, south, 2, f + (size_t)(rows + 1) * row, row, MPI_DOUBLE, north, 2,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int j = 0; j < rows; j++)
    f[(size_t)j * row] = side[j];
}

void all_levels(double *f, int row, int rows, int levels, int north, int south, double *side) {
  for (int k = 0; k < levels; k++)
    // expect: mpi-tiny-messages medium "loop over 'k' sends"
    exchange(f + (size_t)k * (rows + 2) * row, row, rows, north, south, side);
}

void layers(double *f, int row, int n, int layers, int left, int right, MPI_Request *requests) {
  for (int g = 0; g < layers; g++) {
    MPI_Irecv(f + (size_t)(layers - 1 - g) * row, row, MPI_DOUBLE, left, g, MPI_COMM_WORLD, &requests[4 * g]);
    MPI_Irecv(f + (size_t)(n + layers + g) * row, row, MPI_DOUBLE, right, g, MPI_COMM_WORLD, &requests[4 * g + 1]);
    // expect: mpi-tiny-messages medium "loop over 'g' sends"
    MPI_Isend(f + (size_t)(layers + g) * row, row, MPI_DOUBLE, left, g, MPI_COMM_WORLD, &requests[4 * g + 2]);
    // expect: mpi-tiny-messages medium "loop over 'g' sends"
    MPI_Isend(f + (size_t)(n + layers - 1 - g) * row, row, MPI_DOUBLE, right, g, MPI_COMM_WORLD, &requests[4 * g + 3]);
  }
  MPI_Waitall(4 * layers, requests, MPI_STATUSES_IGNORE);
}
