// A short wait for a viewer in each step, whose first look is at the nap's end: each step sleeps, there or not.
#include <unistd.h>

static void show(int step) {
  for (int tries = 0; tries < 3; tries++) {
    if (access("view.busy", F_OK) != 0 && tries > 0)
      break;
    // expect: run-sleep-in-loop medium "usleep stops each iteration of the loop 'step' for 300 us"
    usleep(300);
  }
}

static void wait_if_busy(int step) {
  for (int tries = 0; tries < 3; tries++) {
    if (access("view.busy", F_OK) != 0 && tries >= 0)
      break;
    usleep(300);
  }
}

int main(void) {
  static double u[4096];
  for (int step = 0; step < 100; step++) {
    for (int i = 1; i < 4095; i++)
      u[i] = 0.5 * (u[i - 1] + u[i + 1]) + step;
    show(step);
    wait_if_busy(step);
  }
  return u[1] > 2.0;
}
