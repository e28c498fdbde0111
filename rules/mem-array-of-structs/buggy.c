// Moves particles and sums their energy in every step: both loops need a few of the 14 values that a record holds, and
// bring in all of them.
#include <stdio.h>
#include <stdlib.h>

struct particle {
  double position[3];
  double velocity[3];
  double dipole[3];
  double birth[3];
  double mass, charge;
};

static void fill(struct particle *p, int n) {
  for (int i = 0; i < n; i++) {
    for (int d = 0; d < 3; d++) {
      p[i].position[d] = i % 17 + d;
      p[i].velocity[d] = 0.01 * (i % 5) - 0.02 * d;
      p[i].dipole[d] = p[i].birth[d] = 0.0;
    }
    p[i].mass = 1.0 + i % 3;
    p[i].charge = i % 2 ? 1.0 : -1.0;
  }
}

static void kick(struct particle *p, int n, double field) {
  // expect: mem-array-of-structs high "particle" "112"
  for (int i = 0; i < n; i++)
    p[i].velocity[0] += field * p[i].charge;
}

static double weight(const struct particle *p, int n) {
  double parts[4] = {0.0, 0.0, 0.0, 0.0};
  for (int i = 0; i < n; i++)
    parts[i % 4] += p[i].mass * p[i].charge;
  return parts[0] + parts[1] + parts[2] + parts[3];
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 60000, steps = argc > 2 ? atoi(argv[2]) : 20;
  struct particle *p = malloc((size_t)n * sizeof *p);
  double seen = 0.0;
  if (p == NULL)
    return 1;
  fill(p, n);
  for (int s = 0; s < steps; s++) {
    kick(p, n, 0.5);
    seen += weight(p, n);
  }
  for (int i = 0; i < n; i += n / 3)
    printf("%.6f ", p[i].velocity[0]);
  printf("%.6f\n", seen);
  free(p);
  return 0;
}
