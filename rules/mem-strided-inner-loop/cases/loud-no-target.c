// flags: -fopenmp
// The same for processors.
#define ROWS 4000
#define COLUMNS 4000
double value[ROWS][COLUMNS], weight[ROWS], output[COLUMNS];

void weigh(void) {
#pragma omp parallel for
  for (int j = 0; j < COLUMNS; j++) {
    double sum = 0;
    // expect: mem-strided-inner-loop high "32000 bytes"
    for (int i = 0; i < ROWS; i++)
      sum += weight[i] * value[i][j];
    output[j] = sum;
  }
}
