// flags: -fopenmp
// Conditions on what the data say, handed on by value, in a variable, to an object that is called: many iterations meet
// them.
#include <vector>

static long hits = 0, steep = 0, all = 0;

static void tally(int kind) {
  if (kind > 3)
    // expect: omp-shared-counter medium "update the same 'hits'" no-fix
    hits++;
}

struct Counter {
  long seen = 0;
  void operator()(int kind) {
    if (kind > 5)
      // expect: omp-shared-counter medium "update the same 'seen'" no-fix
      seen++;
  }
};

long count(const std::vector<int> &kind, const double *x, int n) {
  Counter counter;
  double top = 0, low = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    tally(kind[i]);
    counter(kind[i]);
    int slope = static_cast<int>(x[i]);
    if (slope > 7)
      // expect: omp-shared-counter medium "update the same 'steep'" no-fix
      steep += slope;
    if (x[i] >= top)
      // expect: omp-shared-counter high "reduction(max:top)" no-fix
      top = x[i];
    if (x[i] <= low)
      // expect: omp-shared-counter high "reduction(min:low)" no-fix
      low = x[i];
    if (kind[i] < 0)
      all += 1;
    // expect: omp-shared-counter high "update the same 'all'" no-fix
    all += 2;
  }
  return hits + steep + all + counter.seen + static_cast<long>(top - low);
}
