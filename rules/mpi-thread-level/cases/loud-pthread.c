// flags: -pthread
// A thread of its own drains messages while the main thread computes and sends.
#include <mpi.h>
#include <pthread.h>

static double inbox[1000];

static void *drain(void *unused) {
  (void)unused;
  for (int k = 0; k < 10; k++)
    // expect: mpi-thread-level high
    MPI_Recv(inbox, 1000, MPI_DOUBLE, 0, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return NULL;
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED)
    MPI_Abort(MPI_COMM_WORLD, 1);
  pthread_t t;
  pthread_create(&t, NULL, drain, NULL);
  double out[1000] = {0.0};
  for (int k = 0; k < 10; k++)
    MPI_Send(out, 1000, MPI_DOUBLE, 0, k, MPI_COMM_WORLD);
  pthread_join(t, NULL);
  MPI_Finalize();
  return 0;
}
