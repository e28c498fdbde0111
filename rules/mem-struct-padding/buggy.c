// Particles drift through a box; each record carries 8 bytes that hold nothing.
// fixes: mem-struct-padding
#include <stdio.h>
#include <stdlib.h>

// expect: mem-struct-padding high "particle" fix
struct particle {
  int cell;
  double position;
  int species;
  double velocity;
};

static void create(struct particle *particles, int count) {
  for (int n = 0; n < count; n++) {
    particles[n].cell = n / 64;
    particles[n].species = n % 3;
    particles[n].position = n;
    particles[n].velocity = 1.0 - 0.5 * (n % 3);
  }
}

static void drift(struct particle *particles, int count, double seconds) {
  for (int n = 0; n < count; n++) {
    particles[n].position += seconds * particles[n].velocity;
    particles[n].cell = (int)(particles[n].position / 64.0);
  }
}

int main(void) {
  const int count = 100000;
  struct particle *particles = malloc(count * sizeof *particles);
  if (particles == NULL)
    return 1;
  create(particles, count);
  for (int step = 0; step < 8; step++)
    drift(particles, count, 0.25);
  long cells = 0;
  long species = 0;
  for (int n = 0; n < count; n++) {
    cells += particles[n].cell;
    species += particles[n].species;
  }
  printf("cells %ld species %ld\n", cells, species);
  free(particles);
  return 0;
}
