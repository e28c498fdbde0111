// 64 KiB per message: the bytes cost more than the latency.
#include <mpi.h>

#define ROWS 100
#define PITCH 9000
#define USED 8192

static double field[ROWS][PITCH];

void send_rows(int target) {
  for (int row = 0; row < ROWS; row++)
    MPI_Send(field[row], USED, MPI_DOUBLE, target, 0, MPI_COMM_WORLD);
}
