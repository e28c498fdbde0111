#include "layer.h"

void changes(double *change, int groups) {
  for (int g = 0; g < groups; g++)
    // expect: mpi-tiny-messages medium "loop over 'g' passes 8 bytes per call" "to MPI_Allreduce" "the range is contiguous"
    change[g] = largest_of_all(change[g]);
}

void moments(double table[8][100], int times) {
  for (int m = 0; m < 8; m++)
    for (int t = 0; t < times; t++)
      // expect: mpi-tiny-messages medium "loop over 'm' and 't' passes 8 bytes per call" "copy the elements to one buffer"
      add_all(&table[m][t]);
}

void counts(int *all, const int *mine, int bins) {
  for (int b = 0; b < bins; b++)
    // expect: mpi-tiny-messages medium "loop over 'b' passes 4 bytes per call"
    all[b] = sum_of_all(3 * mine[b]);
}

// What a call brings goes into the next one.
double damped(double residual, int rounds) {
  for (int r = 0; r < rounds; r++)
    residual = 0.5 * largest_of_all(residual);
  return residual;
}

// A loop over steps.
void steps(double *field, double *history, int cells, int count) {
  for (int s = 0; s < count; s++) {
    for (int i = 0; i < cells; i++)
      field[i] *= 0.99;
    history[s] = largest_of_all(field[3]);
  }
}

double halves(const double *parts, int count) {
  double sum = 0.0;
  for (int i = 0; i < count; i++)
    sum += half_of_all(parts[i]);
  return sum;
}
