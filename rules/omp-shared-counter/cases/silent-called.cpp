// flags: -fopenmp
// Looks like loud-called.cpp: what is updated is the thread's own, protected, or met by one thread alone.
#include <mutex>
#include <omp.h>

static unsigned long state = 1;
#pragma omp threadprivate(state)
static thread_local long mine = 0;
static long seen = 0, opened = 0;

static unsigned long shift() {
  state ^= state << 13;
  mine++;
  return state;
}

static void note() {
  // expect: omp-critical-section medium "only to update 'seen'"
#pragma omp atomic
  seen++;
#pragma omp master
  opened++;
}

static void open(int thread) {
  if (thread == 0)
    opened++;
}

struct Sum {
  double value = 0;
  void add(double v) { value += v; }
};

void addTo(double *total, double v) { *total += v; }
void add(double &total, double v) { total += v; }
void advance(double *p, int n) {
  for (int i = 0; i < n; i++) {
    *p += 1.0;
    p++;
  }
}

double own(const double *x, double *y, int n, Sum *sums) {
  double t = 0, all = 0;
#pragma omp parallel for firstprivate(t) reduction(+ : all)
  for (int i = 0; i < n; i++) {
    t = 0;
    addTo(&t, x[i]);
    double s = 0;
    add(s, x[i]);
    addTo(&y[i], t + s);
    Sum here;
    here.add(x[i]);
    sums[i].add(here.value);
    add(all, s);
    y[i] += shift();
    note();
    open(omp_get_thread_num());
  }
#pragma omp parallel
  {
    double *row = y + 100 * omp_get_thread_num();
    advance(row, 100);
    row[0] += 1.0;
    open(omp_get_thread_num());
  }
  double *next = y;
#pragma omp parallel for firstprivate(next)
  for (int i = 0; i < n; i++)
    next[0] += i;
  return all;
}

class Guarded {
  std::mutex door;
  long count = 0;
  void enter() {
    // expect: omp-critical-section medium "an element's lock"
    std::lock_guard<std::mutex> inside(door);
    count++;
  }

public:
  void all(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      enter();
  }
};

void guarded(Guarded &g) { g.all(1000000); }
