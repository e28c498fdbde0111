// What the programs with known truths share. Delays are slept, not computed: they last as long on a machine with fewer
// processors than ranks, and what a rank is late is measured by one clock for all ranks of the machine.
#ifndef TRUTH_H
#define TRUTH_H

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size;

enum { MAX_MEETINGS = 4096 };
static double arrivals[MAX_MEETINGS];
static int meetings;

static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Sleeps.
static inline void rest(double seconds) {
  struct timespec left = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  while (nanosleep(&left, &left) != 0 && errno == EINTR)
    ;
}

/// Computes until that time is over.
static inline void work(double seconds) {
  double end = now() + seconds;
  volatile double x = 1.0;
  while (now() < end)
    for (int i = 0; i < 200; i++)
      x = x * 1.0000001;
}

/// Says that this rank has come to the next meeting of all ranks: a barrier, a collective, a message and its receive.
static inline void arrive(void) { arrivals[meetings++ % MAX_MEETINGS] = now(); }

/// Connections are made at the first message: not in the part that is looked at.
static inline void begin(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int other = 0; other < size; other++)
    MPI_Sendrecv(&size, 1, MPI_INT, (rank + other) % size, 9, &size, 1, MPI_INT, (rank + size - other) % size, 9,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// The largest over the ranks of what they give, on all ranks.
static inline double largest(double mine) {
  double all = 0.0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

static inline void say(const char *mark, double seconds) {
  if (rank == 0)
    printf("@%s %.6f\n", mark, seconds), fflush(stdout);
}

static inline void say_between(const char *mark, double least, double most) {
  if (rank == 0)
    printf("@%s %.6f %.6f\n", mark, least, most), fflush(stdout);
}

/// What the rank that waited longest waited, over all meetings, for the last of all: its cost.
static inline double waited_for_last(void) {
  static double latest[MAX_MEETINGS];
  double sum = 0.0;
  MPI_Allreduce(arrivals, latest, meetings, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < meetings; i++)
    sum += latest[i] - arrivals[i];
  return largest(sum);
}

#endif
