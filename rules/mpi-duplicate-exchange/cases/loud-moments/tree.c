// The tree, by functions that call themselves, and forces: other members of the bodies.
#include "bodies.h"
#include <math.h>
#include <mpi.h>

struct node *nodes;
static int last;

static double weigh(int n) {
  if (n < 0)
    return 0.0;
  last = n;
  nodes[n].mass = 1.0 + weigh(nodes[n].left) + weigh(nodes[n].right);
  return nodes[n].mass;
}

void build(void) { weigh(0); }

void attract(void) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++)
      bodies[i].force[k] = nodes[last].mass / (1.0 + fabs(bodies[i].position[k]));
}

void drift(double dt) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++)
      bodies[i].position[k] += dt * bodies[i].force[k];
}
