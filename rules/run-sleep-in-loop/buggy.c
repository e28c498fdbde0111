// A plate cools down; its state is saved every ten steps. A pause that was meant to make the progress visible stops
// each save for five milliseconds, longer than the steps between two saves take.
#include <stdio.h>
#include <time.h>

#define CELLS 4000
#define STEPS 200

static double now[CELLS], next[CELLS];

static void pause_ms(long ms) {
  struct timespec wait = {0, ms * 1000000L};
  // expect: run-sleep-in-loop
  nanosleep(&wait, NULL);
}

static void save(FILE *out, int step) {
  fwrite(&step, sizeof step, 1, out);
  fwrite(now, sizeof now[0], CELLS, out);
  pause_ms(5);
}

static void advance(void) {
  for (int i = 1; i < CELLS - 1; i++)
    next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
  for (int i = 1; i < CELLS - 1; i++)
    now[i] = next[i];
}

int main(void) {
  for (int i = 0; i < CELLS; i++)
    now[i] = i % 50;
  FILE *out = tmpfile();
  if (!out)
    return 1;
  for (int step = 0; step < STEPS; step++) {
    advance();
    if (step % 10 == 0)
      save(out, step);
  }
  printf("%.6f %ld\n", now[CELLS / 2], ftell(out));
  fclose(out);
  return 0;
}
