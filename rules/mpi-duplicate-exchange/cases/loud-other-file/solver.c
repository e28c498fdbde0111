#include "halo.h"
#include <mpi.h>
#include <string.h>

static double *coefficient, *correction;

void start(void) {
  coefficient = row_buffer(width * height);
  correction = row_buffer(width * height);
}

// The coefficients are set before the loop, and only read there.
void solve(const double *rhs, int iterations) {
  for (int it = 0; it < iterations; it++) {
    // expect: mpi-duplicate-exchange medium "halo exchanges 'coefficient' in each iteration of the loop over 'it'"
    // expect: mpi-fusable-collectives medium "2 calls of halo in a row exchange an array each"
    halo(coefficient);
    halo(correction);
    for (int i = width; i < width * height; i++)
      correction[i] = coefficient[i] * (rhs[i] - coefficient[i - width] * correction[i - width]);
  }
}

void solve_level(double *restrict coarse, double *restrict fine, int n, int iterations) {
  for (int it = 0; it < iterations; it++) {
    // expect: mpi-duplicate-exchange medium "halo_of_level exchanges 'fine' in each iteration"
    halo_of_level(n, fine);
    for (int i = n; i < 8 * n; i++)
      coarse[i] += 0.5 * (fine[i] + fine[i - n]);
  }
}

// What the loop writes.
void relax(double *field, int iterations) {
  for (int it = 0; it < iterations; it++) {
    halo(field);
    for (int i = width; i < width * height; i++)
      field[i] = 0.5 * (field[i] + field[i - width]);
  }
}

// What a function writes that the loop calls.
void relax_elsewhere(double *field, double *sum, int iterations) {
  for (int it = 0; it < iterations; it++) {
    halo(field);
    smooth(field);
    *sum += field[width];
  }
}

// Another field in each iteration, or another width.
void fields(double **field, double *restrict sums, int n) {
  for (int k = 0; k < n; k++) {
    halo(field[k]);
    sums[k] += sums[k] * sums[k];
  }
}
void widths(double *restrict field, double *restrict sums, int n) {
  for (int k = 0; k < n; k++) {
    width = k;
    halo(field);
    sums[k] += sums[k] * sums[k];
  }
}

// The field is exchanged for another one.
void swaps(double *restrict sums, double *other, int n) {
  for (int k = 0; k < n; k++) {
    halo(correction);
    sums[k] += sums[k] * sums[k];
    double *last = correction;
    correction = other;
    other = last;
  }
}

// Not in each iteration, but when a result says so.
void at_times(double *restrict field, double *restrict sums, int n) {
  for (int k = 0; k < n; k++) {
    if (sums[k] > 1.0)
      halo(field);
    sums[k] += sums[k] * sums[k];
  }
}

// The network is measured, or the clock read.
double benchmark(double *field, int rounds) {
  for (int r = 0; r < rounds; r++)
    halo(field);
  return field[0];
}
double timed(double *restrict field, double *restrict sums, int rounds) {
  double spent = 0.0;
  for (int r = 0; r < rounds; r++) {
    const double begin = MPI_Wtime();
    halo(field);
    spent += MPI_Wtime() - begin;
    sums[r] *= spent;
  }
  return spent;
}

// What comes by a message.
void received(double *restrict field, double *restrict sums, int rounds) {
  for (int r = 0; r < rounds; r++) {
    halo(field);
    MPI_Bcast(field + width, width, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    sums[r] *= 0.5;
  }
}

// A loop of two.
void twice(double *restrict field, double *restrict sums) {
  for (int r = 0; r < 2; r++) {
    halo(field);
    sums[r] *= 0.5;
  }
}

// Functions that do more than to exchange: a count of calls, a copy and zeros are the same again.
void others(double *restrict field, double *restrict copy, double *restrict sums, int n) {
  for (int k = 0; k < n; k++) {
    add_ghosts(field);
    sums[k] *= 0.5;
  }
  for (int k = 0; k < n; k++) {
    turn(field);
    sums[k] *= 0.5;
  }
  for (int k = 0; k < n; k++) {
    // expect: mpi-duplicate-exchange medium "halo_counted exchanges 'field' in each iteration"
    halo_counted(field);
    sums[k] *= 0.5;
  }
  for (int k = 0; k < n; k++) {
    // expect: mpi-duplicate-exchange medium "copy_halo exchanges"
    copy_halo(field, copy);
    sums[k] *= 0.5;
  }
  for (int k = 0; k < n; k++) {
    halo_of_anyone(field);
    sums[k] *= 0.5;
  }
  for (int k = 0; k < n; k++) {
    replace(field);
    sums[k] *= 0.5;
  }
  for (int k = 0; k < n; k++) {
    halo_and_sum(field, 1.0);
    sums[k] *= 0.5;
  }
  for (int k = 0; k < n; k++) {
    halo_logged(field);
    sums[k] *= 0.5;
  }
  for (int k = 0; k < n; k++) {
    // expect: mpi-duplicate-exchange medium "halo_of_zeros exchanges"
    halo_of_zeros(field);
    sums[k] *= 0.5;
  }
}

void cleared(double *restrict field, double *restrict sums, int n) {
  for (int k = 0; k < n; k++) {
    halo(field);
    sums[k] *= field[0];
    memset(field + width, 0, width * sizeof *field);
  }
}

// Which function that is, nobody knows.
void called(double *restrict field, double *restrict sums, int n, void (*work)(int)) {
  for (int k = 0; k < n; k++) {
    halo(field);
    work(k);
    sums[k] *= 0.5;
  }
}
