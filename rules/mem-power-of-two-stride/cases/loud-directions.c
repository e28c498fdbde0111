// Nineteen directions of a lattice, one plane of 2^20 cells each: nineteen lines at a time in one set of eight.
#define CELLS (1 << 20)
#define DIRECTIONS 19

struct lattice {
  double population[DIRECTIONS][CELLS];
};

void relax(struct lattice *lattice, double rate) {
  // expect: mem-power-of-two-stride high
  for (int cell = 0; cell < CELLS; cell++) {
    double density = 0.0;
    for (int d = 0; d < DIRECTIONS; d++)
      density += lattice->population[d][cell];
    for (int d = 0; d < DIRECTIONS; d++)
      lattice->population[d][cell] -= rate * (lattice->population[d][cell] - density / DIRECTIONS);
  }
}
