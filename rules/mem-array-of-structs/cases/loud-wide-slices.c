// Each loop of the solver uses less than a third of a large record, other vectors of it: in arrays of their own they
// would stream, where each step now goes to another part of a page.
typedef struct {
  double c[6];
} vector;

typedef struct {
  double links[48];
  vector phi, solution, resid, p, mp;
  double momentum[4], phase[4];
} site;

extern site *lattice;
extern int sites;

double solve(int steps, double product) {
  double rest = 0.0;
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < sites; i++)
      for (int k = 0; k < 6; k++) {
        lattice[i].solution.c[k] += product * lattice[i].p.c[k];
        lattice[i].resid.c[k] -= product * lattice[i].mp.c[k];
      }
    // expect: mem-array-of-structs medium "uses 192 of the 688 bytes" "line after line"
    for (int i = 0; i < sites; i++)
      for (int k = 0; k < 6; k++) {
        lattice[i].p.c[k] = lattice[i].resid.c[k] + product * lattice[i].p.c[k];
        lattice[i].mp.c[k] = lattice[i].phi.c[k] - lattice[i].mp.c[k];
      }
  }
  return rest;
}
