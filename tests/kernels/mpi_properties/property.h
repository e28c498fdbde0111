// What the property programs share. Each has one property of performance, of a size that its arguments give, and
// nothing else: PROGRAM DELAY_MS REPETITIONS [twin]. With `twin` the delay is on all ranks alike, or where nobody waits
// for it, so that the property is gone and all else stays. Delays are slept, not computed, so that they last as long
// on a machine with fewer processors than ranks; what was truly slept is printed, and how much later the last of the ranks
// that slept at the same time awoke than the first: that much they truly wait for each other where all sleep alike.
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

enum { MAX_PAUSES = 1000 };
static double awake_at[MAX_PAUSES]; // the ends of the pauses, by one clock for all ranks of a machine
static int pauses;

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
  double end = now();
  slept_seconds += end - begin;
  if (pauses < MAX_PAUSES)
    awake_at[pauses++] = end;
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

/// The mean over the pauses of the time from the first rank's end to the last one's; ranks that never sleep do not count.
/// One message a rank: many would be waited for, too.
static inline double lateness(void) {
  static double mine[2 * MAX_PAUSES], latest[2 * MAX_PAUSES];
  const int most = repetitions < MAX_PAUSES ? repetitions : MAX_PAUSES;
  for (int i = 0; i < most; i++) {
    mine[2 * i] = i < pauses ? -awake_at[i] : -1e300;
    mine[2 * i + 1] = i < pauses ? awake_at[i] : -1e300;
  }
  MPI_Reduce(mine, latest, 2 * most, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  double sum = 0.0;
  for (int i = 0; rank == 0 && i < most; i++)
    if (latest[2 * i + 1] > 0.0)
      sum += latest[2 * i + 1] + latest[2 * i];
  return most ? sum / most : 0.0;
}

/// Prints the mean over the ranks that slept of the time that they slept, and the lateness.
static inline int end_property(void) {
  double sum = 0.0;
  int one = slept_seconds > 0.0, sleepers = 0;
  MPI_Reduce(&slept_seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&one, &sleepers, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  double late = lateness();
  if (rank == 0)
    printf("slept %.6f late %.6f\n", sleepers ? sum / sleepers : 0.0, late);
  MPI_Finalize();
  return 0;
}

#endif
