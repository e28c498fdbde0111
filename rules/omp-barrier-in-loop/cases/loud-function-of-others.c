// flags: -fopenmp
// How often a function of other files runs, this one does not know: that its barrier is of no use, it does.
enum { ROWS = 300, COLUMNS = 400 };

static double rate[ROWS][COLUMNS], value[ROWS][COLUMNS];

void advance(double dt) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < COLUMNS; j++)
        rate[i][j] = dt * (i + j);
    // expect: omp-barrier-in-loop medium "explicit barrier stands beside another one" fix
#pragma omp barrier
#pragma omp for nowait
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < COLUMNS; j++)
        value[i][j] += rate[ROWS - 1 - i][j];
  }
}

double look(void) {
  double sum = 0.0;
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      sum += value[i][j];
  return sum;
}
