/* Functions of its own with the names of system calls. */
#include <stdio.h>
#include <stdlib.h>

#define REFUSE(name)                                                                                                   \
  long name(void) {                                                                                                    \
    puts(#name);                                                                                                       \
    return -1;                                                                                                         \
  }
REFUSE(write)
REFUSE(unlink)
REFUSE(access)

int main(void) {
  double sum = 0;
  for (int step = 0; step < 50; ++step)
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 1000; ++i)
      sum += i;
  printf("%g\n", sum);
}
