// What the program does with these records is to hand them on; one loop looks at a part of each meanwhile.
struct body {
  double x[3], v[3], a[3];
  double mass, potential, density, entropy, pressure, spare[4];
  int key, owner;
};

extern struct body *all, *ordered;
extern int count;

static void sort(const int *to) {
  for (int i = 0; i < count; i++)
    ordered[to[i]] = all[i];
  for (int i = 0; i < count; i++)
    all[i] = ordered[i];
}

static double energy(void) {
  double sum = 0.0;
  for (int i = 0; i < count; i++)
    sum += all[i].mass * all[i].potential;
  return sum;
}

void run(int steps, const int *to, double *sums) {
  for (int step = 0; step < steps; step++) {
    sort(to);
    sums[step] = energy();
  }
}
