// A second thread calls MPI, which was told that there is one only.
// rule: mpi-thread-level @here -
// watch: mpi
// twin: it was told that any thread may call
#include "truth.h"

#include <pthread.h>

static void *second(void *argument) {
  double *value = argument;
  for (int step = 0; step < 100; step++)
    MPI_Sendrecv(&value[0], 1, MPI_DOUBLE, 1 - rank, 0, &value[1], 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, // @here
                 MPI_STATUS_IGNORE);
  return NULL;
}

int main(int argc, char **argv) {
  double value[2] = {1.0, 0.0};
  pthread_t thread;
#ifdef TWIN
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
#else
  MPI_Init(&argc, &argv);
#endif
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_create(&thread, NULL, second, value);
  pthread_join(thread, NULL);
  MPI_Finalize();
  return 0;
}
