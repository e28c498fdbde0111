// flags: -fopenmp
// However many records a read brings, the arrays that they go through have few elements.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RECORDS 12
#define WIDTH 40

long near(FILE *table, double x, double y) {
  char records[RECORDS * WIDTH];
  double *distance = malloc(RECORDS * sizeof *distance);
  long found = 0;
  int got;
  while ((got = (int)fread(records, WIDTH, RECORDS, table)) > 0) {
    // expect: omp-region-in-loop high "about 1 us of work"
#pragma omp parallel for
    for (int i = 0; i < got; i++) {
      const double dx = atof(records + i * WIDTH) - x, dy = atof(records + i * WIDTH + WIDTH / 2) - y;
      distance[i] = sqrt(dx * dx + dy * dy);
    }
    for (int i = 0; i < got; i++)
      found += distance[i] < 1.0;
  }
  free(distance);
  return found;
}

// Here they have many.
long near_many(FILE *table, char *records, double *distance, int most, double x) {
  long found = 0;
  int got;
  while ((got = (int)fread(records, WIDTH, most, table)) > 0) {
#pragma omp parallel for
    for (int i = 0; i < got; i++)
      distance[i] = fabs(atof(records + i * WIDTH) - x);
    // expect: omp-serial-loop medium "reduction(+:found)" unsafe-fix
    for (int i = 0; i < got; i++)
      found += distance[i] < 1.0;
  }
  return found;
}
