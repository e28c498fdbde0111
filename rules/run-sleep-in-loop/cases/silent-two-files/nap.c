#include <unistd.h>

// The licence server answers the second request only after a while.
void warm_up(void) { sleep(1); }

int nap_until_ready(const char *name) {
  if (access(name, R_OK) == 0)
    return 1;
  usleep(10000);
  return 0;
}

void relax(double *u, int n) {
  for (int i = 1; i < n - 1; i++)
    u[i] = 0.5 * (u[i - 1] + u[i + 1]);
}
