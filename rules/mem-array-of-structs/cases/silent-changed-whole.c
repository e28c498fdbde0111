// As beside records that are moved whole, but loops that work on all of each: they have what they need in place.
struct body {
  double x[3], v[3], a[3];
  double mass, potential, density, entropy, pressure, spare[4];
  long key;
};

extern struct body *all;
extern int count;

static void scale(double by) {
  for (int i = 0; i < count; i++) {
    struct body *b = &all[i];
    for (int d = 0; d < 3; d++) {
      b->x[d] *= by;
      b->v[d] *= by;
      b->a[d] *= by;
    }
    for (int k = 0; k < 4; k++)
      b->spare[k] += by;
    b->mass += by;
    b->potential += b->mass;
    b->density += b->mass;
    b->entropy += b->mass;
    b->pressure += b->mass;
    b->key++;
  }
}

double energy(void) {
  double sum = 0.0;
  for (int i = 0; i < count; i++)
    sum += all[i].mass * all[i].potential;
  return sum;
}

void run(int steps, double *sums) {
  for (int step = 0; step < steps; step++) {
    scale(1.5);
    scale(0.5);
    sums[step] = energy();
  }
}
