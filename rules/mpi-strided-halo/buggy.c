// Heat on a plate that is cut into blocks of columns, side by side: each border is a column, gathered cell by cell.
// ranks: 4
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define HEIGHT 8192
#define WIDTH 256
#define STEPS 40

typedef struct {
  double *cells, *next; // HEIGHT rows of pitch cells, a ghost cell at both ends of each
  int columns;
  int pitch;
  double *out, *in;
} Plate;

static void pack(double *buffer, const Plate *plate, int column) {
  for (int y = 0; y < HEIGHT; y++)
    buffer[y] = plate->cells[(size_t)y * plate->pitch + column];
}

static void unpack(const double *buffer, Plate *plate, int column) {
  for (int y = 0; y < HEIGHT; y++)
    plate->cells[(size_t)y * plate->pitch + column] = buffer[y];
}

static void exchange(Plate *plate, int left, int right) {
  pack(plate->out, plate, plate->columns);
  // expect: mpi-strided-halo high "copied one by one to a buffer" "the halo of 'plate->cells'"
  MPI_Sendrecv(plate->out, HEIGHT, MPI_DOUBLE, right, 0, plate->in, HEIGHT, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  if (left != MPI_PROC_NULL)
    unpack(plate->in, plate, 0);
  pack(plate->out, plate, 1);
  MPI_Sendrecv(plate->out, HEIGHT, MPI_DOUBLE, left, 1, plate->in, HEIGHT, MPI_DOUBLE, right, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  if (right != MPI_PROC_NULL)
    unpack(plate->in, plate, plate->columns + 1);
}

static void relax(Plate *plate) {
  const int pitch = plate->pitch;
  for (int y = 1; y < HEIGHT - 1; y++) {
    const double *row = plate->cells + (size_t)y * pitch;
    for (int x = 1; x <= plate->columns; x++)
      plate->next[(size_t)y * pitch + x] = 0.25 * (row[x - pitch] + row[x - 1] + row[x + 1] + row[x + pitch]);
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
  if (WIDTH % size != 0)
    MPI_Abort(MPI_COMM_WORLD, 2);
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  Plate plate = {.columns = WIDTH / size, .pitch = WIDTH / size + 2};
  const size_t bytes = (size_t)HEIGHT * plate.pitch * sizeof(double);
  plate.cells = malloc(bytes);
  plate.next = malloc(bytes);
  plate.out = malloc(HEIGHT * sizeof(double));
  plate.in = malloc(HEIGHT * sizeof(double));
  if (!plate.cells || !plate.next || !plate.out || !plate.in)
    MPI_Abort(MPI_COMM_WORLD, 2);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < plate.pitch; x++)
      plate.cells[(size_t)y * plate.pitch + x] = plate.next[(size_t)y * plate.pitch + x] =
          (double)((y * 7 + (rank * plate.columns + x) * 13) % 64);

  for (int step = 0; step < STEPS; step++) {
    exchange(&plate, left, right);
    relax(&plate);
  }

  long long sum = 0, total = 0; // whole numbers add up to the same in any order
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 1; x <= plate.columns; x++)
      sum += (long long)(plate.cells[(size_t)y * plate.pitch + x] * 1048576.0);
  MPI_Reduce(&sum, &total, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%lld\n", total);
  free(plate.cells);
  free(plate.next);
  free(plate.out);
  free(plate.in);
  MPI_Finalize();
  return 0;
}
