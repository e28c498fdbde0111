// All neighbours below are received from before those above are sent to: the ranks wait in line.
#include <mpi.h>

struct package {
  int senders, receivers;
  int *from, *to, *first_in, *first_out;
  double *out;
};

extern int me;

void in_order(struct package *p, double *ghosts, const double *x, const int *list) {
  for (int k = 0; k < p->first_out[p->receivers]; k++)
    p->out[k] = x[list[k]];
  for (int k = 0; k < p->senders; k++)
    if (p->from[k] < me)
      MPI_Recv(ghosts + p->first_in[k], p->first_in[k + 1] - p->first_in[k], MPI_DOUBLE, p->from[k], 11, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int k = 0; k < p->receivers; k++)
    if (p->to[k] > me)
      // expect: mpi-send-recv-chain medium "receives from 'p->from[k]' before it sends to 'p->to[k]'"
      MPI_Send(p->out + p->first_out[k], p->first_out[k + 1] - p->first_out[k], MPI_DOUBLE, p->to[k], 11,
               MPI_COMM_WORLD);
}
