// Waits until a debugger has been attached.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

void wait_for_debugger(int rank) {
  volatile int attached = 0;
  printf("rank %d: process %d\n", rank, (int)getpid());
  fflush(stdout);
  while (!attached)
    sleep(5);
  MPI_Barrier(MPI_COMM_WORLD);
}
