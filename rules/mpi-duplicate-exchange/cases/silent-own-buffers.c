// Buffers of each exchange's own that carry something else: what lies in between has changed it, another row is
// packed, or a message that was asked for in the iteration before has arrived.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

extern int nx, above, below;

static void send_row(const double *v, int row) {
  double *b = malloc(nx * sizeof(double));
  memcpy(b, v + row * nx, nx * sizeof(double));
  MPI_Send(b, nx, MPI_DOUBLE, above, 5, MPI_COMM_WORLD);
  free(b);
}

void changed(double *v, int count) {
  for (int step = 0; step < count; step++) {
    send_row(v, 1);
    for (int i = 0; i < nx; i++)
      v[nx + i] *= 0.5;
    send_row(v, 1);
    v[nx] += step;
  }
}

void another(double *v, int count) {
  for (int step = 0; step < count; step++) {
    send_row(v, 1);
    send_row(v, 2);
    for (int i = 0; i < 3 * nx; i++)
      v[i] *= 0.5;
  }
}

void arrives(double *v, int count) {
  MPI_Request request;
  MPI_Irecv(v, 2 * nx, MPI_DOUBLE, above, 5, MPI_COMM_WORLD, &request);
  for (int step = 0; step < count; step++) {
    send_row(v, 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    send_row(v, 1);
    v[2 * nx] += v[nx];
    MPI_Irecv(v, 2 * nx, MPI_DOUBLE, above, 5, MPI_COMM_WORLD, &request);
  }
}

// The second one packs what was there before the first one was made.
void older(const double *v, double *w, int count) {
  for (int step = 0; step < count; step++) {
    double *b = malloc(nx * sizeof(double)), *c = malloc(nx * sizeof(double));
    memcpy(c, w, nx * sizeof(double));
    memcpy(b, v, nx * sizeof(double));
    MPI_Send(b, nx, MPI_DOUBLE, above, 5, MPI_COMM_WORLD);
    MPI_Send(c, nx, MPI_DOUBLE, above, 5, MPI_COMM_WORLD);
    w[0] += 1;
    free(b);
    free(c);
  }
}
