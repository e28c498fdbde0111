// Of two loops that waste about the same, the one over numbers is named: the other may be bookkeeping.
typedef struct {
  int tag, image[3];
  double charge, mass, radius, spare[3];
} atom;

extern atom *atoms;
extern int count;

int select(int first, int last, double *kept, int steps) {
  int found = 0;
  for (int step = 0; step < steps; step++) {
    double mass = 0.0;
    for (int i = 0; i < count; i++)
      found += atoms[i].tag >= first && atoms[i].tag < last;
    // expect: mem-array-of-structs high "uses 8 of the 64 bytes of each 'atom'" "keep mass in"
    for (int i = 0; i < count; i++)
      mass += atoms[i].mass;
    kept[step] = mass;
  }
  return found;
}
