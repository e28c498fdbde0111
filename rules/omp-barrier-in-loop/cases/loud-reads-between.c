// flags: -fopenmp
// Between the end of a shared loop and the written barrier only sizes are read, which nobody changes.
static double field[5][120][120], force[5][120][120];
static int points[2];

static void rim(void) {
  int i, j, m;
  i = points[0] - 2;
  for (m = 0; m < 5; m++) {
    // expect: omp-barrier-in-loop medium
#pragma omp for
    for (j = 1; j <= points[1] - 2; j++)
      force[m][i][j] -= field[m][i - 1][j] - 2.0 * field[m][i][j];
  }
  i = points[0] - 1;
  // expect: omp-barrier-in-loop high "and nothing on either side needs it" "stands beside another one" fix
#pragma omp barrier
  for (m = 0; m < 5; m++) {
    // expect: omp-barrier-in-loop medium
#pragma omp for
    for (j = 1; j <= points[1] - 2; j++)
      force[m][i][j] -= 2.0 * field[m][i - 1][j];
  }
}

void steps(int count) {
  for (int step = 0; step < count; step++) {
#pragma omp parallel
    rim();
  }
}

// Here one thread changes behind the barrier what is read before it.
void shrinking(int count) {
  for (int step = 0; step < count; step++) {
#pragma omp parallel
    {
      int last;
#pragma omp for
      for (int j = 0; j < 120; j++)
        force[0][0][j] = 0.0;
      last = points[0] - 1;
#pragma omp barrier
// expect: omp-barrier-in-loop medium "implicit"
#pragma omp single
      points[0]--;
#pragma omp for
      for (int j = 0; j < 120; j++)
        force[0][last][j] += 1.0;
    }
  }
}
