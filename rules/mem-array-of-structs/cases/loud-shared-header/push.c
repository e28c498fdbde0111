// Nothing here says how often these loops run.
#include "atom.h"

void push(struct atom *atoms, int count, double by) {
  // expect: mem-array-of-structs high "atom" "104"
  for (int i = 0; i < count; i++)
    atoms[i].speed[0] += by * atoms[i].charge;
}

double stretch(const struct pair_of_atoms *pairs, int count) {
  double longest = 0.0;
  for (int i = 0; i < count; i++) {
    double d = pairs[i].distance * pairs[i].strength + pairs[i].reach * (double)(pairs[i].first - pairs[i].second);
    longest = d > longest ? d : longest;
  }
  return longest;
}
