// What the property programs share. Each has one property of performance, of a size that its arguments give, and
// nothing else: PROGRAM DELAY_MS REPETITIONS [twin]. With `twin` the delay is on all ranks alike, or where nobody waits
// for it, so that the property is gone and all else stays. Delays are slept, not computed, so that they last as long
// on a machine with fewer processors than ranks; what was truly slept is printed.
#ifndef PROPERTY_H
#define PROPERTY_H

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size, repetitions, twin;
static double delay_seconds, slept_seconds;

static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Sleeps for a part of the delay.
static inline void pause_for(double share) {
  double begin = now(), seconds = share * delay_seconds;
  struct timespec left = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  while (nanosleep(&left, &left) != 0 && errno == EINTR)
    ;
  slept_seconds += now() - begin;
}

static inline void begin_property(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  delay_seconds = argc > 1 ? 1e-3 * atof(argv[1]) : 0.01;
  repetitions = argc > 2 ? atoi(argv[2]) : 10;
  twin = argc > 3 && strcmp(argv[3], "twin") == 0;
  // Connections are made at the first message: not in the part that is looked at.
  for (int other = 0; other < size; other++)
    MPI_Sendrecv(&size, 1, MPI_INT, (rank + other) % size, 9, &size, 1, MPI_INT, (rank + size - other) % size, 9,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// The mean over the ranks that slept of the time that they slept.
static inline int end_property(void) {
  double sum = 0.0;
  int one = slept_seconds > 0.0, sleepers = 0;
  MPI_Reduce(&slept_seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&one, &sleepers, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("slept %.6f\n", sleepers ? sum / sleepers : 0.0);
  MPI_Finalize();
  return 0;
}

#endif
