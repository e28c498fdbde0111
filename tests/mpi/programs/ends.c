/* Hangs or dies as its argument says; lines that the tests name carry a mark. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

__attribute__((noinline)) static double damage(double *field, int n) {
  field[n] = 1; /* mark: fault */
  return field[0];
}

__attribute__((noinline)) static void everybody(double *sum) {
  double mine = rank;
  MPI_Allreduce(&mine, sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* mark: allreduce */
}

__attribute__((noinline)) static void one_less(void) {
  double x = 0;
  MPI_Recv(&x, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* mark: receive */
}

static void *fault_in_thread(void *field) {
  damage(field, 1);
  return NULL;
}

__attribute__((noinline)) static int deeper(int depth) {
  volatile char room[4096];
  return (room[depth % 4096] = (char)depth) + deeper(depth + 1) + room[depth % 4096]; /* mark: overflow */
}

/* One way to end after the other, complexity 34. */
int main(int argc, char **argv) {
  const char *how = argv[1];
  double sum = 0, value = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int last = rank == size - 1;
  everybody(&sum);
  if (rank == 0) {
    printf("ready\n");
    fflush(stdout);
  }
#define IS(name) (!strcmp(how, name))
  if (IS("collective")) { /* the last rank takes another way */
    if (last)
      one_less();
    everybody(&sum);
  }
  if (IS("ring")) /* everybody receives first */
    MPI_Recv(&value, 1, MPI_DOUBLE, (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* mark: ring */
  if (IS("wait")) {
    MPI_Request requests[2];
    double mine = 1;
    MPI_Irecv(&value, 1, MPI_DOUBLE, (rank + 1) % size, 9, MPI_COMM_WORLD, &requests[0]); /* mark: posted */
    MPI_Isend(&mine, 1, MPI_DOUBLE, (rank + 1) % size, 8, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* mark: wait */
  }
  if (IS("compute")) { /* the last rank never comes to the collective */
    if (last)
      for (volatile double x = 0;; ++x)
        ;
    everybody(&sum);
  }
  if (IS("finalize") && last)
    for (;;)
      pause();
  if (IS("segv") && last)
    damage((double *)(uintptr_t)64, rank);
  if (IS("segv-library") && last)
    memset((void *)(uintptr_t)64, 1, 1000 + (size_t)size * 1000); /* mark: library */
  if (IS("segv-mpi") && last)
    MPI_Send((void *)(uintptr_t)64, 10, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD); /* mark: send */
  if (IS("segv-thread") && last) {
    pthread_t thread;
    pthread_create(&thread, NULL, fault_in_thread, (void *)(uintptr_t)64);
    pthread_join(thread, NULL);
  }
  if (IS("overflow") && last)
    printf("%d\n", deeper(size));
  if (IS("abort") && last)
    abort(); /* mark: abort */
  if (IS("mpi-abort") && last)
    MPI_Abort(MPI_COMM_WORLD, 17); /* mark: mpi-abort */
  if (IS("exit") && last)
    exit(3); /* mark: exit */
  if (IS("_exit") && last)
    _exit(3);
  if (IS("kill") && last)
    raise(SIGKILL);
  if (IS("term") && last)
    raise(SIGTERM);
  everybody(&sum);
  MPI_Finalize();
  return 0;
}
