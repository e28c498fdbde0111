// Records of which the hot loop uses everything: together they are best where they are. One loop that needs less does
// not change that.
#include <stdio.h>
#include <stdlib.h>

struct body {
  double x[3], v[3];
  double mass, radius;
};

static void move(struct body *b, int n, double dt) {
  for (int i = 0; i < n; i++) {
    for (int d = 0; d < 3; d++) {
      b[i].x[d] += dt * b[i].v[d];
      b[i].v[d] -= dt * b[i].x[d] / b[i].mass;
    }
    b[i].radius *= 1.0 + dt * b[i].mass;
  }
}

static void collide(struct body *b, int n) {
  for (int i = 0; i + 1 < n; i++)
    for (int d = 0; d < 3; d++) {
      b[i].x[d] += 0.1 * b[i + 1].x[d] * b[i].radius;
      b[i].v[d] += 0.1 * b[i + 1].v[d] * b[i].mass;
    }
}

static double heaviest(const struct body *b, int n) {
  double top = 0.0;
  for (int i = 0; i < n; i++)
    top = b[i].mass > top ? b[i].mass : top;
  return top;
}

int main(void) {
  const int n = 5000;
  struct body *b = calloc((size_t)n, sizeof *b);
  double seen = 0.0;
  if (b == NULL)
    return 1;
  for (int i = 0; i < n; i++)
    b[i].mass = 1.0 + i % 4;
  for (int s = 0; s < 10; s++) {
    move(b, n, 0.01);
    collide(b, n);
    seen += heaviest(b, n);
  }
  printf("%.6f\n", seen);
  free(b);
  return 0;
}
