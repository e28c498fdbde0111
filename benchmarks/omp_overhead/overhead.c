/* Nanoseconds per OpenMP construct, the best of several rounds: a name and a number on each line. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static volatile double sink[64];

static void work(int i) { sink[i % 64] = i; }

static double best[6];

static void note(int which, double nanoseconds) {
  if (best[which] == 0 || nanoseconds < best[which])
    best[which] = nanoseconds;
}

int main(int count, char **arguments) {
  int rounds = count > 1 ? atoi(arguments[1]) : 20, calls = count > 2 ? atoi(arguments[2]) : 2000;
  for (int round = 0; round < rounds; round++) {
    double begin = now();
    for (int i = 0; i < calls; i++)
#pragma omp parallel
      work(i);
    note(0, (now() - begin) / calls);
    begin = now();
#pragma omp parallel
    for (int i = 0; i < calls; i++) {
#pragma omp for schedule(static)
      for (int k = 0; k < 64; k++)
        work(k);
    }
    note(1, (now() - begin) / calls);
    begin = now();
#pragma omp parallel
    for (int i = 0; i < calls; i++) {
#pragma omp barrier
    }
    note(2, (now() - begin) / calls);
    begin = now();
#pragma omp parallel for schedule(dynamic, 1)
    for (int k = 0; k < 64 * calls; k++)
      work(k);
    note(3, (now() - begin) / (64.0 * calls));
    begin = now();
#pragma omp parallel
    for (int i = 0; i < calls; i++) {
#pragma omp critical
      work(i);
    }
    note(4, (now() - begin) / calls);
    begin = now();
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < calls; i++) {
#pragma omp task
      work(i);
    }
    note(5, (now() - begin) / calls);
  }
  const char *names[] = {"parallel", "for_static", "barrier", "chunk_dynamic", "critical", "task"};
  for (int i = 0; i < 6; i++)
    printf("%s %.1f\n", names[i], best[i]);
  return 0;
}
