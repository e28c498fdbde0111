/* Work of a known length: a thread's processor time, which other programs on the machine do not stretch. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

static inline double used(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void work(double seconds) {
  for (double end = used() + seconds; used() < end;)
    ;
}

static inline void say(const char *mark, double seconds) { printf("@%s %.6f\n", mark, seconds); }
static inline void say_between(const char *mark, double least, double most) {
  printf("@%s %.6f %.6f\n", mark, least, most);
}
