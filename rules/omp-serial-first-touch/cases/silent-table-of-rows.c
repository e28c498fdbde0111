// One thread writes the table of pointers only; the rows behind it are written by the team that uses them. The table is
// small beside them.
// flags: -fopenmp
#include <stdlib.h>

#define ROWS 8192

struct patch {
  double *values;
  double *fluxes;
};

static double *row[ROWS];
static struct patch *patches;

void allocate(long columns) {
  patches = malloc(ROWS * sizeof *patches * 16);
  for (long i = 0; i < ROWS; i++)
    row[i] = malloc(columns * sizeof(double));
  for (long i = 0; i < ROWS * 16; i++) {
    patches[i].values = malloc(columns * sizeof(double));
    patches[i].fluxes = malloc(columns * sizeof(double));
  }
}

void initialise(long columns) {
#pragma omp parallel for schedule(static)
  for (long i = 0; i < ROWS; i++)
    for (long j = 0; j < columns; j++)
      row[i][j] = 0.25 * (double)(i + j);
#pragma omp parallel for schedule(static)
  for (long i = 0; i < ROWS * 16; i++)
    for (long j = 0; j < columns; j++)
      patches[i].values[j] = patches[i].fluxes[j] = 1.0;
}

void advance(long columns, int steps) {
  for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(static)
    for (long i = 0; i < ROWS; i++)
      for (long j = 0; j < columns; j++)
        row[i][j] *= 0.5;
#pragma omp parallel for schedule(static)
    for (long i = 0; i < ROWS * 16; i++)
      for (long j = 0; j < columns; j++)
        patches[i].values[j] += 0.1 * patches[i].fluxes[j];
  }
}

int main(void) {
  allocate(4096);
  initialise(4096);
  advance(4096, 10);
  return row[0][0] > 0;
}
