#include <stdlib.h>

// expect: mem-struct-padding high "Bond" fix
typedef struct Bond {
  short type;
  double length;
  int first;
  double strength;
  int second;
} Bond;

Bond *create_bonds(size_t count) {
  Bond *bonds = malloc(count * sizeof(Bond));
  if (bonds == NULL)
    return NULL;
  for (size_t n = 0; n < count; n++) {
    bonds[n].type = 0;
    bonds[n].first = (int)n;
    bonds[n].second = (int)n + 1;
    bonds[n].length = 1.0;
    bonds[n].strength = 0.5;
  }
  return bonds;
}
