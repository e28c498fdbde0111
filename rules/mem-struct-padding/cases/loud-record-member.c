// A record as member counts as a whole: its own order is right, the order around it is not.
#include <stdlib.h>

struct vector {
  double x, y, z;
};

// expect: mem-struct-padding high "body" fix
struct body {
  char kind;
  struct vector position;
  short level;
  struct vector velocity;
  int parent;
};

struct body *create_bodies(unsigned count) {
  struct body *bodies = calloc(count, sizeof *bodies);
  for (unsigned n = 0; bodies != NULL && n < count; n++) {
    bodies[n].kind = 1;
    bodies[n].position.x = n;
    bodies[n].velocity.x = 1.0;
    bodies[n].level = 2;
    bodies[n].parent = -1;
  }
  return bodies;
}
