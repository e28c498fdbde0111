// Tables of neighbours in an order that no rank waits for: receives posted first, one round for even and one for odd
// ranks, work handed out by one rank.
#include <mpi.h>

enum { DIRECTIONS = 4 };

typedef struct {
  int neighbour[DIRECTIONS];
  double *out[DIRECTIONS], *in[DIRECTIONS];
  int count;
  MPI_Comm comm;
} Grid;

void posted_first(Grid *grid) {
  MPI_Request requests[DIRECTIONS];
  for (int d = 0; d < DIRECTIONS; d++)
    MPI_Irecv(grid->in[d], grid->count, MPI_DOUBLE, grid->neighbour[d], 0, grid->comm, &requests[d]);
  for (int d = 0; d < DIRECTIONS; d++)
    MPI_Send(grid->out[d], grid->count, MPI_DOUBLE, grid->neighbour[d], 0, grid->comm);
  MPI_Waitall(DIRECTIONS, requests, MPI_STATUSES_IGNORE);
}

void send_all(Grid *grid) {
  for (int d = 0; d < DIRECTIONS; d++)
    MPI_Send(grid->out[d], grid->count, MPI_DOUBLE, grid->neighbour[d], 0, grid->comm);
}

void receive_all(Grid *grid) {
  for (int d = 0; d < DIRECTIONS; d++)
    MPI_Recv(grid->in[d], grid->count, MPI_DOUBLE, grid->neighbour[d], 0, grid->comm, MPI_STATUS_IGNORE);
}

void alternating(Grid *grid) {
  int rank;
  MPI_Comm_rank(grid->comm, &rank);
  if (rank % 2 == 0) {
    send_all(grid);
    receive_all(grid);
  } else {
    receive_all(grid);
    send_all(grid);
  }
}

void hand_out(const int *worker, int workers, double *part, int n, MPI_Comm comm) {
  for (int w = 0; w < workers; w++)
    MPI_Send(&part[w * n], n, MPI_DOUBLE, worker[w], 1, comm);
  for (int w = 0; w < workers; w++)
    MPI_Recv(&part[w * n], n, MPI_DOUBLE, worker[w], 2, comm, MPI_STATUS_IGNORE);
}
