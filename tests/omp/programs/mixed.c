/* Every construct once or twice, with nested teams, tasks and threads of its own; prints one checked number. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

static double values[4096];

static void *own_thread(void *result) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 4096; i++)
    sum += i;
  *(double *)result = sum;
  return NULL;
}

static long fibonacci(int n) {
  if (n < 2)
    return n;
  long a, b;
#pragma omp task shared(a) if (n > 8)
  a = fibonacci(n - 1);
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  omp_set_max_active_levels(3);
  omp_lock_t lock;
  omp_init_lock(&lock);
  long counted = 0, tasks = 0, inner = 0, ordered = 0;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 4096; i++)
      values[i] = i;
#pragma omp for schedule(dynamic, 7)
    for (int i = 0; i < 4096; i++)
      values[i] += 1;
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 4096; i++)
      values[i] += 1;
#pragma omp barrier
#pragma omp critical
    counted++;
    omp_set_lock(&lock);
    counted++;
    omp_unset_lock(&lock);
#pragma omp sections
    {
#pragma omp section
      values[0] += 1;
#pragma omp section
      values[1] += 1;
    }
#pragma omp single
    tasks = fibonacci(15);
#pragma omp for ordered
    for (int i = 0; i < 64; i++)
#pragma omp ordered
      ordered = 2 * ordered % 1000003 + i;
#pragma omp single
#pragma omp parallel num_threads(2) reduction(+ : inner)
    inner += omp_get_thread_num() + 1;
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp atomic
        counted++;
      }
    }
  }
  int threads = omp_get_max_threads();
  pthread_t other;
  double theirs = 0;
  pthread_create(&other, NULL, own_thread, &theirs);
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 4096; i++)
    sum += values[i];
  pthread_join(other, NULL);
  omp_destroy_lock(&lock);
  printf("%.0f %.0f %ld %ld %ld %ld\n", sum, theirs, counted - 3 * threads, tasks, inner, ordered);
  return 7;
}
