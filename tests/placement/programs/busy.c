/* Everything that a recorder of allocations and signals could get wrong; prints the same with and without it. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { Big = 3 << 20, Threads = 4, Rounds = 60 };

static volatile sig_atomic_t caught;
static void on_signal(int number) { caught += number > 0; }

static void *work(void *argument) {
  long sum = 0;
  for (int round = 0; round < Rounds; ++round) {
    char *block = round % 2 ? malloc(Big) : calloc(3, Big / 3);
    memset(block, round, Big / 2);
    block = realloc(block, 2 * Big);
    memset(block + Big, 1, Big);
    for (int i = 0; i < Big; i += 64)
      sum += block[i] + block[Big + i];
    free(block);
    void *aligned = NULL;
    if (posix_memalign(&aligned, 4096, Big))
      abort();
    sum += ((unsigned long)aligned % 4096) == 0;
    free(aligned);
    free(aligned_alloc(64, Big));
  }
  *(long *)argument = sum;
  return NULL;
}

int main(void) {
  errno = 0;
  char *kept = malloc(Big), *mapped = mmap(NULL, Big, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf("errno %d\n", errno);
  pthread_t threads[Threads];
  long sums[Threads], all = 0;
  for (int i = 0; i < Threads; ++i)
    pthread_create(&threads[i], NULL, work, &sums[i]);
  for (int i = 0; i < Threads; ++i)
    pthread_join(threads[i], NULL), all += sums[i];
  printf("sums %ld\n", all);
  mprotect(mapped, Big, PROT_NONE);
  munmap(mapped, Big);

  struct sigaction before, mine = {.sa_handler = on_signal};
  sigaction(SIGRTMAX - 2, NULL, &before);
  printf("handler before: %s\n", before.sa_handler == SIG_DFL ? "default" : "some");
  sigaction(SIGRTMAX - 2, &mine, NULL);
  for (volatile long i = 0; i < 100000000; ++i)
    ;
  raise(SIGRTMAX - 2);
  printf("caught %d\n", (int)caught);
  fflush(stdout);

  pid_t child = fork();
  if (!child) {
    free(kept);
    char *own = malloc(Big);
    memset(own, 1, Big);
    free(own);
    exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("child %d\n", WEXITSTATUS(status));
  printf("huge %d\n", malloc((size_t)1 << 60) == NULL && errno == ENOMEM);
  free(kept);
  return 5;
}
