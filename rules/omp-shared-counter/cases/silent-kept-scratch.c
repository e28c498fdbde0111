// flags: -fopenmp
// Set for a use of another call, a constant, each thread's own, protected, or of the call alone.
static double last, factor, own, shown, wanted;
#pragma omp threadprivate(own)
static volatile int ready;

static double change(const double *x) {
  double before = last; // read first: what another call has left is wanted
  last = x[0];
  return last - before;
}

static double apply(const double *x, int n) {
  double local = x[0];
  factor = 0.5;
  own = x[1] * n;
  local *= factor * own;
#pragma omp critical
  {
    shown = local;
    own += shown;
  }
  if (n == 1) {
    wanted = local;
    own += wanted;
  }
  ready = n;
  return ready ? local + own : local;
}

static void store(double *x, double by) { last = x[0] * by; }

void all(double *x, int rows, int columns) {
#pragma omp parallel for
  for (int row = 0; row < rows; row++) {
    x[row * columns] = change(x + row * columns) + apply(x + row * columns, columns);
    store(x + row * columns, 2.0);
  }
}
