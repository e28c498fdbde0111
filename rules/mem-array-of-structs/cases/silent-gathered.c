// Kinds of material, chosen by a number of each cell: nothing changes them, there are a few.
struct kind {
  double heat, density, melting, price, strength, age, colour[4];
};

double energy(const struct kind *kinds, const int *kind_of, const double *temperature, double *out, int count,
              int steps) {
  double sum = 0.0;
  for (int step = 0; step < steps; step++)
    for (int i = 0; i < count; i++) {
      out[i] = kinds[kind_of[i]].heat * temperature[i];
      sum += out[i];
    }
  return sum;
}

// Gathered, and all of it used.
struct node {
  double place[3], mass, force[3], charge;
};

double relax(struct node *nodes, const int *begin, const int *partner, int count, int steps) {
  double sum = 0.0;
  for (int step = 0; step < steps; step++)
    for (int i = 0; i < count; i++)
      for (int k = begin[i]; k < begin[i + 1]; k++) {
        struct node *other = &nodes[partner[k]];
        for (int d = 0; d < 3; d++) {
          other->force[d] += other->charge * other->mass * (nodes[i].place[d] - other->place[d]);
          sum += other->force[d];
        }
      }
  return sum;
}

// Records that are filled one after the other, in any order of the loops: a counter is no list.
struct pair {
  double distance, weight;
  long first, second;
};

int pairs(struct pair *found, const double *place, int count, int steps) {
  int n = 0;
  for (int step = 0; step < steps; step++)
    for (int i = 0; i < count; i++)
      for (int j = 0; j < i; j++)
        if (place[i] - place[j] < 1.0)
          found[n++].distance = place[i] - place[j];
  return n;
}
