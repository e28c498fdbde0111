// flags: -pthread
// Threads that a loop starts get their number in memory, as a pointer, or in a record of their own.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define THREADS 8

static atomic_long served[THREADS];
static volatile long turns[THREADS];

static void *serve(void *argument) {
  const int number = *(int *)argument;
  for (long i = 0; i < 1000000; i++)
    // expect: omp-false-sharing high "neighbouring threads" "served"
    atomic_fetch_add(&served[number], 1);
  return NULL;
}

static void *turn(void *argument) {
  const size_t number = (size_t)(uintptr_t)argument;
  for (long i = 0; i < 1000000; i++)
    // expect: omp-false-sharing high "neighbouring threads" "turns"
    turns[number]++;
  return NULL;
}

struct task {
  const double *values;
  long first, last;
  double *sum;
};

static void *add(void *argument) {
  struct task *task = argument;
  for (long i = task->first; i < task->last; i++)
    // expect: omp-false-sharing high "neighbouring threads" "sum"
    *task->sum += task->values[i];
  return NULL;
}

double run(const double *values, long count) {
  pthread_t thread[THREADS];
  int number[THREADS];
  struct task task[THREADS];
  double sum[THREADS] = {0};
  for (int t = 0; t < THREADS; t++)
    number[t] = t;
  for (int t = 0; t < THREADS; t++)
    pthread_create(&thread[t], NULL, serve, &number[t]);
  for (int t = 0; t < THREADS; t++)
    pthread_join(thread[t], NULL);
  for (int t = 0; t < THREADS; t++)
    pthread_create(&thread[t], NULL, turn, (void *)(uintptr_t)t);
  for (int t = 0; t < THREADS; t++)
    pthread_join(thread[t], NULL);
  for (int t = 0; t < THREADS; t++) {
    task[t].values = values;
    task[t].first = count / THREADS * t;
    task[t].last = count / THREADS * (t + 1);
    task[t].sum = &sum[t];
    pthread_create(&thread[t], NULL, add, &task[t]);
  }
  double all = 0;
  for (int t = 0; t < THREADS; t++) {
    pthread_join(thread[t], NULL);
    all += sum[t];
  }
  return all;
}
