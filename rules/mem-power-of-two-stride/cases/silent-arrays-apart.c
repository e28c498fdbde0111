// Arrays that are walked in step, but not in the same sets.
#define ROWS 256
#define COLUMNS 512
#define AT(i, j) ((i)*COLUMNS + (j))

// Half a page apart.
void halves(const double *rho, const double *potential, double *sum) {
  for (int j = 0; j < COLUMNS / 2; j++) {
    double all = 0.0;
    // expect: mem-strided-inner-loop
    for (int i = 0; i < ROWS; i++)
      all = 0.5 * all + rho[AT(i, j)] * potential[AT(i, j + COLUMNS / 2)];
    sum[j] = all;
  }
}

// No whole number of pages long: the second one begins half a page later.
#define SHORT 256
static double first[515][SHORT], second[515][SHORT];
void odd(double *sum) {
  for (int j = 0; j < SHORT; j++) {
    double all = 0.0;
    // expect: mem-strided-inner-loop
    for (int i = 0; i < 512; i++)
      all = 0.5 * all + first[i][j] * second[i][j];
    sum[j] = all;
  }
}

// Where a static array begins beside an allocated one, nobody knows.
static double table[ROWS][COLUMNS];
void both(const double *rho, double *sum) {
  for (int j = 0; j < COLUMNS; j++) {
    double all = 0.0;
    // expect: mem-strided-inner-loop
    for (int i = 0; i < ROWS; i++)
      all = 0.5 * all + rho[AT(i, j)] * table[i][j];
    sum[j] = all;
  }
}
