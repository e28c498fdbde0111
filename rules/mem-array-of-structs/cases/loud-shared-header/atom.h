// One record for all units.
#ifndef ATOM_H
#define ATOM_H

struct atom {
  double place[3], speed[3], force[3];
  double mass, charge;
  long cell, species;
};

// All of it is used, everywhere.
struct pair_of_atoms {
  long first, second;
  double distance, strength, reach;
};

void push(struct atom *atoms, int count, double by);
double stretch(const struct pair_of_atoms *pairs, int count);

#endif
