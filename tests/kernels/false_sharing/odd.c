/* Ways of using threads that a recorder could stumble over; the last word of the command line chooses. Each prints the
 * same whatever the number of threads and whoever watches.
 *
 *   odd FORM
 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CELLS = 64 };

static long cells[CELLS];

static long total(void) {
  long sum = 0;
  for (int i = 0; i < CELLS; i++)
    sum += cells[i];
  return sum;
}

/* Neighbouring cells in inner teams. */
static void nested(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < 8; i++) {
#pragma omp parallel for num_threads(2)
    for (int j = 0; j < 8; j++)
      for (int k = 0; k < 500; k++)
        *(volatile long *)&cells[8 * i + j] += 1;
  }
}

/* Inner regions of one thread inside the team's loop. */
static void flat_inside(void) {
  omp_set_max_active_levels(1);
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < CELLS; i++) {
#pragma omp parallel for
    for (int k = 0; k < 500; k++)
      *(volatile long *)&cells[i] += 1;
  }
}

static void tasks(void) {
#pragma omp parallel
  {
#pragma omp single
    for (int i = 0; i < CELLS; i++) {
#pragma omp task firstprivate(i)
      {
        for (int k = 0; k < 500; k++)
          *(volatile long *)&cells[i] += 1;
#pragma omp task firstprivate(i)
        *(volatile long *)&cells[i] += 1;
#pragma omp taskwait
      }
    }
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < CELLS; i++)
      cells[i] += 1;
  }
}

static void *own_thread(void *argument) {
  const int which = *(int *)argument;
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < CELLS / 4; i++)
    for (int k = 0; k < 500; k++)
      *(volatile long *)&cells[which * CELLS / 4 + i] += 1;
  return NULL;
}

static void own_threads(void) {
  pthread_t threads[4];
  int which[4];
  for (int i = 0; i < 4; i++) {
    which[i] = i;
    pthread_create(&threads[i], NULL, own_thread, &which[i]);
  }
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
}

static void barriers(void) {
#pragma omp parallel num_threads(4)
  for (int turn = 0; turn < 300; turn++) {
    cells[(omp_get_thread_num() + turn) % CELLS] += 1;
#pragma omp barrier
#pragma omp single
    cells[0] += 1;
  }
}

static void forks(void) {
#pragma omp parallel for
  for (int i = 0; i < CELLS; i++)
    cells[i] = i;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    cells[0] = 1;
    free(malloc(100));
    exit(0);
  }
  int status;
  waitpid(child, &status, 0);
}

/* Blocks that come and go in all threads. */
static void allocations(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 4000; i++) {
    long *block = malloc((size_t)(i % 200 + 1) * sizeof *block);
    block[0] = i;
    block = realloc(block, 3000);
#pragma omp atomic
    cells[0] += block[0];
    free(block);
  }
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } forms[] = {{"nested", nested},           {"flat-inside", flat_inside}, {"tasks", tasks},
               {"own-threads", own_threads}, {"barriers", barriers},       {"forks", forks},
               {"allocations", allocations}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (argc > 1 && strcmp(argv[1], forms[i].name) == 0) {
      forms[i].run();
      printf("%ld\n", total());
      return 0;
    }
  return 2;
}
