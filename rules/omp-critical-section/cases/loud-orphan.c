// flags: -fopenmp
// Sections in functions of a unit that starts no team: who calls them does. A loop around the section, or around the
// calls that lead to it, is what each thread comes by in.
extern double track, *fission;
extern long lost;
double flight(double *position);

static void score(double length, int cell) {
  // expect: omp-critical-section medium "only to update 'track' and 'fission[cell]'" "loop at line 18"
#pragma omp critical(keff)
  {
    track += length;
    fission[cell] += 0.5 * length;
  }
}

void follow(double position, double end, int cell) {
  while (position < end)
    score(flight(&position), cell);
}

// No loop leads here, as far as the unit shows.
void lose(void) {
#pragma omp critical(keep)
  lost++;
}

// Once for each point, and then the loop ends.
void escape(double position, double end) {
  while (position < end) {
    position += flight(&position);
    if (position < 0.0) {
#pragma omp critical(keep)
      lost++;
      break;
    }
  }
}

// Each thread hands over what it has gathered.
static void hand_over(double sum) {
#pragma omp critical(sum)
  track += sum;
}

void gather(const int *x, int n, int steps) {
  for (int s = 0; s < steps; s++) {
#pragma omp parallel
    {
      int sum = 0;
#pragma omp for
      for (int i = 0; i < n; i++)
        sum += x[i];
      hand_over(sum);
    }
  }
}

// The same, where the section is an atomic update; `seen` is looked at in the same unit, perhaps meanwhile.
double passed, seen;

static void pass(double length) {
  // expect: omp-critical-section medium "an atomic update" "only to update 'passed'" "a variable of its own"
#pragma omp atomic
  passed += length;
#pragma omp atomic
  seen += length;
}

double walk(double position, double end) {
  while (position < end)
    pass(flight(&position));
  return seen;
}
