// One second after each save.
#include <stdio.h>
#include <unistd.h>

void run(double *u, double *v, int n, int steps, const char *name) {
  for (int step = 0; step < steps; step++) {
    for (int i = 1; i < n - 1; i++)
      v[i] = 0.5 * (u[i - 1] + u[i + 1]);
    for (int i = 1; i < n - 1; i++)
      u[i] = v[i];
    if (step % 100 == 0) {
      FILE *out = fopen(name, "ab");
      if (out) {
        fwrite(u, sizeof *u, n, out);
        fclose(out);
      }
      // expect: run-sleep-in-loop high "'step'" "sleep"
      sleep(1);
    }
  }
}
