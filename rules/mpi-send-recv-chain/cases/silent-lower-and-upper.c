// Both on one side of the rank, or sent to before: no line.
#include <mpi.h>

struct package {
  int senders, receivers;
  int *from, *to, *first_in, *first_out;
  double *out;
};

extern int me;

void one_side(struct package *p, double *ghosts) {
  for (int k = 0; k < p->senders; k++)
    if (p->from[k] > me)
      MPI_Recv(ghosts + p->first_in[k], p->first_in[k + 1] - p->first_in[k], MPI_DOUBLE, p->from[k], 11, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int k = 0; k < p->receivers; k++)
    if (p->to[k] > me)
      MPI_Send(p->out + p->first_out[k], p->first_out[k + 1] - p->first_out[k], MPI_DOUBLE, p->to[k], 11,
               MPI_COMM_WORLD);
}

// Each has sent upwards before it waits for those below.
void sent_before(struct package *p, double *ghosts) {
  MPI_Request request;
  for (int k = 0; k < p->receivers; k++)
    if (p->to[k] > me) {
      MPI_Isend(p->out + p->first_out[k], 1, MPI_DOUBLE, p->to[k], 11, MPI_COMM_WORLD, &request);
      MPI_Request_free(&request);
    }
  for (int k = 0; k < p->senders; k++)
    if (p->from[k] < me)
      MPI_Recv(ghosts + p->first_in[k], 1, MPI_DOUBLE, p->from[k], 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int k = 0; k < p->receivers; k++)
    if (p->to[k] > me)
      MPI_Send(p->out + p->first_out[k] + 1, 2, MPI_DOUBLE, p->to[k], 11, MPI_COMM_WORLD);
}
