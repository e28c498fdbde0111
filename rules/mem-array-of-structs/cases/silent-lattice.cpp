// A lattice Boltzmann cell with its nine densities: every sweep uses all of them. Reports that run once, and whole records
// that are copied or handed on, are no reason to split either.
#include <cstdio>
#include <vector>

struct Cell {
  double f[9];
};

struct Tally {
  double sums[6];
  long count, from, to;
};

void record(Tally &t, double by);

static void relax(std::vector<Cell> &cells) {
  for (Cell &c : cells) {
    double rho = 0.0;
    for (double f : c.f)
      rho += f;
    for (double &f : c.f)
      f += 0.1 * (rho / 9.0 - f);
  }
}

static void copy(std::vector<Tally> &to, const std::vector<Tally> &from) {
  for (std::size_t i = 0; i < to.size(); i++)
    to[i] = from[i];
}

static void collect(std::vector<Tally> &all) {
  for (Tally &t : all)
    record(t, 0.5);
}

int main() {
  std::vector<Cell> cells(5000);
  std::vector<Tally> a(5000), b(5000);
  for (int step = 0; step < 5; step++) {
    relax(cells);
    copy(b, a);
    collect(a);
  }
  long count = 0;
  for (const Tally &t : b)
    count += t.count;
  std::printf("%ld %.6f\n", count, cells[3].f[0]);
}

void record(Tally &t, double by) {
  t.sums[t.count++ % 6] += by;
  t.from += t.to;
}
