// flags: -fopenmp
// A global sum that every thread adds to in each event, in a function that the team's loop calls.
static double absorbed, escaped, leaked;
static long events;
double sample(long *seed);

static void collide(double *weight, long *seed) {
  // expect: omp-critical-section medium "an atomic update" "only to update 'absorbed'" "a variable of its own"
#pragma omp atomic
  absorbed += *weight * 0.5;
  // expect: omp-critical-section medium "only to update 'events'"
#pragma omp atomic
  events++;
  // Another event looks at what has come together so far.
#pragma omp atomic
  escaped += *weight;
  *weight *= 1.0 - sample(seed);
}

// Of a member nobody knows who looks at it.
struct tally {
  double sum;
} *tallies;

static void count(int kind, double x) {
#pragma omp atomic
  tallies[kind].sum += x;
}

double follow(long histories) {
#pragma omp parallel for schedule(dynamic, 100)
  for (long h = 0; h < histories; h++) {
    double weight = 1.0;
    long seed = h;
    while (weight > 0.001 && sample(&seed) > escaped)
      collide(&weight, &seed);
    count(h & 1, weight);
  }
  leaked = absorbed / (double)events;
  return leaked;
}
