// One loop over slices among many that use the sites whole may be a measurement, and small fields share their lines.
// So may a function have all of a record that gets the address of its first member.
typedef struct {
  double e[18];
} matrix;

typedef struct {
  matrix link[4], fat[4];
  double mass, charge, phase[4], resid[6];
  matrix staple, work;
} site;

extern site *lattice;
extern int sites;

double norm(const double *v);
void transport(matrix *link, matrix *fat, double *numbers, matrix *staple);
void gather(matrix *first);
double global_sum(double mine);

void advance(int steps, double *sums) {
  for (int step = 0; step < steps; step++) {
    double sum = 0.0;
    for (int i = 0; i < sites; i++)
      transport(lattice[i].link, lattice[i].fat, lattice[i].resid, &lattice[i].work);
    for (int i = 0; i < sites; i++)
      transport(lattice[i].link, lattice[i].fat, lattice[i].phase, &lattice[i].staple);
    for (int i = 0; i < sites; i++)
      transport(lattice[i].fat, lattice[i].link, lattice[i].phase, &lattice[i].staple);
    for (int i = 0; i < sites; i++)
      gather(lattice[i].link);
    for (int i = 0; i < sites; i++)
      sum += norm(lattice[i].resid);
    sums[step] = global_sum(sum);
    for (int i = 0; i < sites; i++)
      lattice[i].mass *= 0.5;
    for (int i = 0; i < sites; i++)
      lattice[i].charge *= 0.5;
  }
}

typedef struct {
  double head[6], rest[100];
} block;

extern block *blocks;
extern int count;

void update(double *head);
void check(double *head);

void turn(int steps) {
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < count; i++)
      update(blocks[i].head);
    for (int i = 0; i < count; i++)
      check(blocks[i].head);
  }
}
