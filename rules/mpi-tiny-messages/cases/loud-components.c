// One message per component of each cell of a row; rows are not contiguous.
#include <mpi.h>

#define COMPONENTS 5

struct mesh {
  double *cells;
  int width;
  int height;
};

static inline double *cell(const struct mesh *m, int x, int y) { return &m->cells[(x * m->height + y) * COMPONENTS]; }

void send_row(const struct mesh *m, int y, int target, MPI_Comm comm) {
  for (int x = 1; x < m->width - 1; x++)
    for (int k = 0; k < COMPONENTS; k++)
      // expect: mpi-tiny-messages high "to the same rank" "x' and 'k"
      MPI_Send(&cell(m, x, y)[k], 1, MPI_DOUBLE, target, 7, comm);
}

void receive_row(const struct mesh *m, int y, int source, MPI_Comm comm) {
  for (int x = 1; x < m->width - 1; x++)
    for (int k = 0; k < COMPONENTS; k++)
      MPI_Recv(&cell(m, x, y)[k], 1, MPI_DOUBLE, source, 7, comm, MPI_STATUS_IGNORE);
}
