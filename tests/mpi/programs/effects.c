/* Sleeps and writes inside and outside the time that is watched; prints what the calls returned, errno included. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static char block[5000];

static void *helper(void *argument) { /* never calls MPI: not watched */
  usleep(1000);
  return argument;
}

static void on_signal(int number) {
  (void)number;
  ssize_t done = write(2, "", 0);
  (void)done;
}

__attribute__((noinline)) static void naps(int times) {
  for (int i = 0; i < times; ++i) {
    struct timespec two = {0, 2000000};
    nanosleep(&two, NULL);
  }
}

int main(int argc, char **argv) {
  char name[256];
  int rank;
  usleep(1000);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "%s.%d", argv[1], rank);
  naps(5);
  struct timeval little = {0, 1000};
  select(0, NULL, NULL, NULL, &little);
  poll(NULL, 0, 1);
  pthread_t other;
  pthread_create(&other, NULL, helper, NULL);
  pthread_join(other, NULL);
  MPI_Barrier(MPI_COMM_WORLD);

  int descriptor = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
  struct iovec parts[2] = {{block, 100}, {block, 200}};
  long a = write(descriptor, block, 1000), b = writev(descriptor, parts, 2), c = pwrite(descriptor, block, 50, 0);
  int d = fsync(descriptor);
  close(descriptor);
  MPI_Barrier(MPI_COMM_WORLD);

  FILE *stream = fopen(name, "wb");
  size_t e = fwrite(block, 1, sizeof block, stream), f = fwrite(block, 1, 10, stream);
  int g = fclose(stream);
  MPI_Barrier(MPI_COMM_WORLD);

  char memory[8000];
  stream = fmemopen(memory, sizeof memory, "w");
  size_t h = fwrite(block, 1, sizeof block, stream);
  fclose(stream);
  MPI_Barrier(MPI_COMM_WORLD);

  errno = 0;
  long bad = write(-1, block, 1);
  int why = errno;
  errno = 77;
  naps(1);
  int kept = errno;
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  printf("%ld %ld %ld %d %zu %zu %d %zu %ld %d %d\n", a, b, c, d, e, f, g, h, bad, why == EBADF, kept);
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  unlink(name);
  MPI_Finalize();
  usleep(1000);
  return 3;
}
