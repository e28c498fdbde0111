// flags: -fopenmp
// On a device neighbouring threads have neighbouring columns: what one thread jumps over, its neighbours take.
#define ROWS 4000
#define COLUMNS 4000
double value[ROWS][COLUMNS], weight[ROWS], output[COLUMNS];

void weigh(void) {
#pragma omp target teams distribute parallel for
  for (int j = 0; j < COLUMNS; j++) {
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
      sum += weight[i] * value[i][j];
    output[j] = sum;
  }
}

// In two directives.
void weigh_again(void) {
#pragma omp target
#pragma omp teams
#pragma omp distribute parallel for
  for (int j = 0; j < COLUMNS; j++) {
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
      sum += weight[i] * value[i][j];
    output[j] += sum;
  }
}
