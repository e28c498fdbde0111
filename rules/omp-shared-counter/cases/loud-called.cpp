// flags: -fopenmp
// The update stands in a function that the region calls, in a member, or in one element.
#include <vector>

static unsigned long state = 88172645463325252ul;
static unsigned seed = 42;
long calls = 0;

static double draw() {
  // expect: omp-shared-counter medium "update the same 'seed'" "no reduction does the same" no-fix
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) / 65536.0;
}

static unsigned long shift() {
  // expect: omp-shared-counter high "update the same 'state'" "no reduction does the same" no-fix
  state ^= state << 13;
  return state;
}

class Walkers {
  struct Stats {
    long hits = 0;
    double energy = 0;
  } stats;
  long moves = 0;
  std::vector<double> place;
  int n;

  double pair(int i, int j) {
    // expect: omp-shared-counter high "update the same 'calls'" "let the function return what it adds" no-fix
    calls++;
    return place[i] * place[j];
  }
  void move(int i) {
    double e = pair(i, i + 1);
    if (e < 0.5) {
      // expect: omp-shared-counter medium "update the same 'stats.hits'" no-fix
      stats.hits++;
      place[i] += draw();
    }
    // expect: omp-shared-counter high "update the same 'stats.energy'" no-fix
    stats.energy += e;
  }

public:
  explicit Walkers(int n) : n(n) {}
  void sweep() {
#pragma omp parallel for
    for (int i = 0; i < n - 1; i++) {
      move(i);
      // expect: omp-shared-counter high "'moves'" "reduction(+:…), and add it to 'moves' after" no-fix
      moves++;
    }
  }
  void shuffle() {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      place[i] = shift() % 7;
  }
};

void addTo(double *total, double v) {
  // expect: omp-shared-counter high "update the same 't'" no-fix
  *total += v;
}

void add(double &total, double v) {
  // expect: omp-shared-counter high "update the same 'u'" no-fix
  total += v;
}

double sums(const double *x, int n, Walkers &w, double *out) {
  double t = 0, u = 0, both[2] = {0, 0};
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    addTo(&t, x[i]);
    add(u, x[i]);
    // expect: omp-shared-counter high "'both[0]'" no-fix
    both[0] += x[i];
    // expect: omp-shared-counter high "'*out'" no-fix
    *out += x[i];
  }
  w.sweep();
  w.shuffle();
  return t + u + both[0];
}

// Many elements may be of the kind that is counted.
int count(const int *kind, int n) {
  int c = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (kind[i] == 3)
      // expect: omp-shared-counter medium "reduction(+:c)" no-fix
      c++;
  return c;
}
