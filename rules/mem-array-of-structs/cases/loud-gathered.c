// A list of neighbours: of each partner's record the innermost loop wants four numbers.
struct atom {
  double place[3], speed[3], force[3], before[3];
  double charge, mass, energy;
  int kind, cell;
};

static void move(struct atom *atoms, int count, double by) {
  for (int i = 0; i < count; i++)
    for (int d = 0; d < 3; d++)
      atoms[i].place[d] += by * atoms[i].speed[d];
}

static double energy(const struct atom *atoms, int count, const int *begin, const int *partner) {
  double sum = 0.0;
  for (int i = 0; i < count; i++) {
    // expect: mem-array-of-structs medium "uses 32 of the 128 bytes of each 'atom'" "of what the loop gathers"
    for (int k = begin[i]; k < begin[i + 1]; k++) {
      const struct atom *other = &atoms[partner[k]];
      double distance = 0.0;
      for (int d = 0; d < 3; d++)
        distance += (atoms[i].place[d] - other->place[d]) * (atoms[i].place[d] - other->place[d]);
      sum += atoms[i].charge * other->charge / distance;
    }
  }
  return sum;
}

double run(struct atom *atoms, int count, const int *begin, const int *partner, int steps) {
  double sum = 0.0;
  for (int step = 0; step < steps; step++) {
    move(atoms, count, 1e-3);
    sum += energy(atoms, count, begin, partner);
  }
  return sum;
}
