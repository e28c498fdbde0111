// A late sender behind functions of the program's own that only pass on their arguments: what can be changed stands
// where they are called.
// rule: mpi-late-sender @here cost
// watch: mpi
// also: run-sleep-in-loop (the delay)
// twin: both ranks are late
#include "truth.h"

__attribute__((noinline)) static int comm_receive(void *data, int count, MPI_Datatype type, int from, int tag) {
  return MPI_Recv(data, count, type, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static int comm_send(const void *data, int count, MPI_Datatype type, int to, int tag) {
  return MPI_Send(data, count, type, to, tag, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  double value = 1.0;
  begin(&argc, &argv);
  for (int step = 0; step < 20; step++) {
#ifndef TWIN
    if (rank == 0)
#endif
      rest(0.01);
    arrive();
    if (rank == 0) {
      comm_send(&value, 1, MPI_DOUBLE, 1, 0);
      comm_receive(&value, 1, MPI_DOUBLE, 1, 1);
    } else {
      comm_receive(&value, 1, MPI_DOUBLE, 0, 0); // @here
      comm_send(&value, 1, MPI_DOUBLE, 0, 1);
    }
  }
  say("here", waited_for_last());
  MPI_Finalize();
  return 0;
}
