// Reductions of a value that each iteration computes first: the loop can be cut at the call where nothing that a call brings
// bears on a later value or on the loop's end.
#include <math.h>
#include <mpi.h>

extern double *change, *flux, *before, *sums;
extern int rank;
struct cell {
  int material;
  double *tally, *mean;
};

int converged(int groups, int cells, double limit, MPI_Comm comm) {
  int count = 0;
  for (int g = 0; g < groups; g++) {
    double most;
    change[g] = 0.0;
    for (int c = 0; c < cells; c++) {
      const double d = fabs(flux[g * cells + c] - before[g * cells + c]);
      if (d > change[g])
        change[g] = d;
    }
    // expect: mpi-tiny-messages medium "loop over 'g' passes 8 bytes per call" "to MPI_Allreduce" "behind the loop"
    MPI_Allreduce(&change[g], &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    change[g] = most;
    if (most < limit)
      count++;
  }
  return count == groups;
}

// The root passes MPI_IN_PLACE.
void collect(struct cell *cells, int count, const double *parts, int threads, MPI_Comm comm) {
  for (int c = 0; c < count; c++) {
    for (int g = 0; g < 8; g++) {
      double sum = 0.0;
      for (int t = 0; t < threads; t++)
        sum += parts[(c * 8 + g) * threads + t];
      cells[c].tally[g] = sum;
    }
    // expect: mpi-tiny-messages medium "passes 64 bytes per call" "to MPI_Reduce" "behind the loop"
    MPI_Reduce(rank ? cells[c].tally : MPI_IN_PLACE, cells[c].tally, 8, MPI_DOUBLE, MPI_SUM, 0, comm);
    if (rank == 0)
      for (int g = 0; g < 8; g++)
        cells[c].mean[g] += cells[c].tally[g];
  }
}

// The next value is made of the last result.
double relax(double *x, int n, int steps, MPI_Comm comm) {
  double all = 1.0;
  for (int s = 0; s < steps; s++) {
    double own = 0.0;
    for (int i = 0; i < n; i++)
      own += x[i] * all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  }
  return all;
}

// The result tells how much of the next value is added up.
double adapt(const double *x, int n, int steps, MPI_Comm comm) {
  double all = 0.0;
  int length = n;
  for (int s = 0; s < steps; s++) {
    double own = 0.0, step;
    for (int i = 0; i < length; i++)
      own += x[s * n + i];
    MPI_Allreduce(&own, &step, 1, MPI_DOUBLE, MPI_SUM, comm);
    if (step > 1.0)
      length = n / 2;
    all += step;
  }
  return all;
}

// The result ends the loop.
int search(const double *x, int n, int rows, MPI_Comm comm) {
  for (int r = 0; r < rows; r++) {
    double own = 0.0, all;
    for (int i = 0; i < n; i++)
      own += x[r * n + i];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    if (all > 1.0)
      return r;
  }
  return -1;
}

// Through memory: modified Gram-Schmidt.
void orthogonalise(double *w, double *v, int n, int vectors, MPI_Comm comm) {
  for (int j = 0; j < vectors; j++) {
    double own = 0.0, all;
    for (int i = 0; i < n; i++)
      own += v[j * n + i] * w[i];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < n; i++)
      w[i] -= all * v[j * n + i];
  }
}

// The same number again and again: a benchmark.
void bounce(double *x, double *y, int rounds, MPI_Comm comm) {
  for (int r = 0; r < rounds; r++)
    MPI_Allreduce(x, y, 1, MPI_DOUBLE, MPI_SUM, comm);
}

// Code that nothing is known of may use what was brought.
double measure(const double *x);
void follow(const double *x, int n, int steps, MPI_Comm comm) {
  for (int s = 0; s < steps; s++) {
    double own = measure(x + s * n);
    MPI_Allreduce(&own, &sums[s], 1, MPI_DOUBLE, MPI_SUM, comm);
  }
}

// The report of a loop over steps.
double advance(double *x, int n, int steps, MPI_Comm comm) {
  double most = 0.0;
  for (int s = 0; s < steps; s++) {
    double own = 0.0, all;
    for (int i = 1; i < n; i++)
      x[i] = 0.5 * (x[i] + x[i - 1]);
    for (int i = 0; i < n; i++)
      own += x[i];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    most = fmax(most, all);
  }
  return most;
}
