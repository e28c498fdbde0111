// flags: -pthread
// Two functions run at the same time and write neighbouring members of one record, or slots of one array that the
// numbers of their threads choose.
#include <pthread.h>
#include <stddef.h>

static struct {
  volatile long produced, consumed;
  long capacity;
} queue;

static void *produce(void *unused) {
  for (long i = 0; i < queue.capacity; i++)
    // expect: omp-false-sharing high "threads that run at the same time" "queue"
    queue.produced++;
  return unused;
}
static void *consume(void *unused) {
  for (long i = 0; i < queue.capacity; i++)
    queue.consumed++;
  return unused;
}

static volatile int ticks[2];
static void *tick(void *slot) {
  volatile int *mine = slot;
  for (long i = 0; i < queue.capacity; i++)
    // expect: omp-false-sharing high "threads that run at the same time" "ticks"
    *mine = *mine + 1;
  return NULL;
}

int run(long capacity) {
  pthread_t first, second;
  queue.capacity = capacity;
  pthread_create(&first, NULL, produce, NULL);
  pthread_create(&second, NULL, consume, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  pthread_create(&first, NULL, tick, (void *)&ticks[0]);
  pthread_create(&second, NULL, tick, (void *)&ticks[1]);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return ticks[0] + ticks[1];
}
