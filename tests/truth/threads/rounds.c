// For each step threads are started and joined; in each, both write to the same lines.
// rule: omp-false-sharing @count -
// watch: sharing
// with: clang
// flags: -O2
// twin: they do so one after the other
#include <pthread.h>
#include <stdio.h>

static volatile int cells[2];

static void *count(void *argument) {
  volatile int *mine = argument;
  for (int i = 0; i < 400000; i++)
    *mine += i; // @count
  return NULL;
}

static pthread_mutex_t working = PTHREAD_MUTEX_INITIALIZER;

/* Lives as long as they all do, so that they are of one group. */
static void *wait_for_all(void *argument) {
  pthread_mutex_lock(&working);
  pthread_mutex_unlock(&working);
  return argument;
}

int main(void) {
  pthread_t keeper;
  pthread_mutex_lock(&working);
  pthread_create(&keeper, NULL, wait_for_all, NULL);
  for (int step = 0; step < 60; step++) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
      pthread_create(&threads[i], NULL, count, (void *)&cells[i]);
#ifdef TWIN
      pthread_join(threads[i], NULL);
    }
#else
    }
    for (int i = 0; i < 2; i++)
      pthread_join(threads[i], NULL);
#endif
  }
  pthread_mutex_unlock(&working);
  pthread_join(keeper, NULL);
  printf("%d\n", cells[0] + cells[1]);
  return 0;
}
