/* Ends in the way that its argument names, after some regions; what each way prints is fixed. */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long work(int rounds) {
  long sum = 0;
  for (int round = 0; round < rounds; round++)
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 1000; i++)
      sum += i;
  return sum;
}

int main(int count, char **arguments) {
  const char *way = count > 1 ? arguments[1] : "return";
  printf("%ld\n", work(50));
  fflush(stdout);
  if (!strcmp(way, "exit")) {
#pragma omp parallel
    if (omp_get_thread_num() == omp_get_num_threads() - 1)
      exit(3);
    else
      sleep(5);
  } else if (!strcmp(way, "_exit")) {
    _exit(4);
  } else if (!strcmp(way, "kill")) {
    raise(SIGKILL);
  } else if (!strcmp(way, "exec")) {
    execl("/proc/self/exe", arguments[0], "return", (char *)NULL);
  } else if (!strcmp(way, "fork")) {
    pid_t child = fork();
    if (!child) {
      printf("%ld\n", work(20)); /* the library makes a new team for the child */
      exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    printf("%d %ld\n", WEXITSTATUS(status), work(10));
  } else if (!strcmp(way, "cancel")) {
    long found = 0;
#pragma omp parallel for
    for (int i = 0; i < 10000; i++)
      if (i == 5000) {
#pragma omp atomic write
        found = i;
#pragma omp cancel for
      }
    printf("%ld\n", found);
  }
  return 0;
}
