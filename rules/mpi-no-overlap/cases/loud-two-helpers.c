// Messages are started by one helper and waited for by the next one; what follows touches inner cells only. The record
// of the field is filled once, and its two arrays change places behind each step.
#include <mpi.h>
#include <stdlib.h>

struct Domain {
  int columns, rows, up, down, pending;
  MPI_Comm comm;
  MPI_Request request[4];
  double *now, *next;
};

static void start(struct Domain *d, double *f) {
  const int w = d->columns + 2;
  d->pending = 0;
  MPI_Irecv(f, w, MPI_DOUBLE, d->up, 1, d->comm, &d->request[d->pending++]);
  MPI_Irecv(f + (d->rows + 1) * w, w, MPI_DOUBLE, d->down, 2, d->comm, &d->request[d->pending++]);
  MPI_Isend(f + w, w, MPI_DOUBLE, d->up, 2, d->comm, &d->request[d->pending++]);
  MPI_Isend(f + d->rows * w, w, MPI_DOUBLE, d->down, 1, d->comm, &d->request[d->pending++]);
}

static void finish(struct Domain *d) {
  // expect: mpi-no-overlap medium "MPI_Waitall waits for messages that were just started" "works on arrays of other names"
  MPI_Waitall(d->pending, d->request, MPI_STATUSES_IGNORE);
}

static void relax(const double *u, double *v, int columns, int from, int to) {
  const int w = columns + 2;
  for (int j = from; j <= to; j++)
    for (int i = 1; i <= columns; i++)
      v[j * w + i] = 0.25 * (u[j * w + i - 1] + u[j * w + i + 1] + u[(j - 1) * w + i] + u[(j + 1) * w + i]);
}

void run(int n, int up, int down, int steps) {
  struct Domain d;
  d.comm = MPI_COMM_WORLD;
  d.columns = d.rows = n;
  d.up = up;
  d.down = down;
  d.now = calloc((size_t)(n + 2) * (n + 2), sizeof(double));
  d.next = calloc((size_t)(n + 2) * (n + 2), sizeof(double));
  for (int step = 0; step < steps; step++) {
    start(&d, d.now);
    finish(&d);
    relax(d.now, d.next, d.columns, 2, d.rows - 1);
    relax(d.now, d.next, d.columns, 1, 1);
    relax(d.now, d.next, d.columns, d.rows, d.rows);
    double *last = d.now;
    d.now = d.next;
    d.next = last;
  }
  free(d.now);
  free(d.next);
}

// The arrays have changed places before the work: it reads what has arrived.
void swapped(int n, int up, int down, int steps) {
  struct Domain d;
  d.comm = MPI_COMM_WORLD;
  d.columns = d.rows = n;
  d.up = up;
  d.down = down;
  d.now = calloc((size_t)(n + 2) * (n + 2), sizeof(double));
  d.next = calloc((size_t)(n + 2) * (n + 2), sizeof(double));
  for (int step = 0; step < steps; step++) {
    MPI_Request request[2];
    MPI_Irecv(d.now, d.columns * d.rows, MPI_DOUBLE, d.up, 1, d.comm, &request[0]);
    MPI_Isend(d.next, d.columns * d.rows, MPI_DOUBLE, d.down, 1, d.comm, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    double *last = d.now;
    d.now = d.next;
    d.next = last;
    for (int i = 0; i < d.rows; i++)
      for (int j = 0; j < d.columns; j++)
        d.now[i * d.columns + j] = 0.5 * d.next[i * d.columns + j];
  }
  free(d.now);
  free(d.next);
}
