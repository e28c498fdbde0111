// The plate is cut into blocks of rows, one above the other: each border is a row and goes out as it lies.
// ranks: 4
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define HEIGHT 8192
#define WIDTH 256
#define STEPS 40

#define PITCH (WIDTH + 2)

typedef struct {
  double *cells, *next; // rows of PITCH cells, a ghost row at both ends
  int rows;
} Plate;

static void exchange(Plate *plate, int above, int below) {
  double *first = plate->cells + PITCH, *last = plate->cells + (size_t)plate->rows * PITCH;
  MPI_Sendrecv(last, PITCH, MPI_DOUBLE, below, 0, first - PITCH, PITCH, MPI_DOUBLE, above, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(first, PITCH, MPI_DOUBLE, above, 1, last + PITCH, PITCH, MPI_DOUBLE, below, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static void relax(Plate *plate, int from, int to) {
  for (int y = from; y <= to; y++) {
    const double *row = plate->cells + (size_t)y * PITCH;
    for (int x = 1; x <= WIDTH; x++)
      plate->next[(size_t)y * PITCH + x] = 0.25 * (row[x - PITCH] + row[x - 1] + row[x + 1] + row[x + PITCH]);
  }
  double *old = plate->cells;
  plate->cells = plate->next;
  plate->next = old;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (HEIGHT % size != 0)
    MPI_Abort(MPI_COMM_WORLD, 2);
  const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int below = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  Plate plate = {.rows = HEIGHT / size};
  const size_t bytes = (size_t)(plate.rows + 2) * PITCH * sizeof(double);
  plate.cells = malloc(bytes);
  plate.next = malloc(bytes);
  if (!plate.cells || !plate.next)
    MPI_Abort(MPI_COMM_WORLD, 2);
  for (int y = 0; y < plate.rows + 2; y++)
    for (int x = 0; x < PITCH; x++)
      plate.cells[(size_t)y * PITCH + x] = plate.next[(size_t)y * PITCH + x] =
          (double)(((rank * plate.rows + y - 1) * 7 + x * 13) % 64);

  // The first and the last row of the plate stay.
  const int from = rank == 0 ? 2 : 1, to = rank == size - 1 ? plate.rows - 1 : plate.rows;
  for (int step = 0; step < STEPS; step++) {
    exchange(&plate, above, below);
    relax(&plate, from, to);
  }

  long long sum = 0, total = 0; // whole numbers add up to the same in any order
  for (int y = 1; y <= plate.rows; y++)
    for (int x = 1; x <= WIDTH; x++)
      sum += (long long)(plate.cells[(size_t)y * PITCH + x] * 1048576.0);
  MPI_Reduce(&sum, &total, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%lld\n", total);
  free(plate.cells);
  free(plate.next);
  MPI_Finalize();
  return 0;
}
