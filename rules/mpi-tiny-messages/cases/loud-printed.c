// A spectrum, shell by shell: all lines can be printed when the one reduction is made.
#include <mpi.h>
#include <stdio.h>

static double shell(const double *energy, const int *number, int modes, int wanted, MPI_Comm comm) {
  double own = 0.0, all;
  for (int m = 0; m < modes; m++)
    if (number[m] == wanted)
      own += energy[m];
  // expect: mpi-tiny-messages medium "loop over 'k' passes 8 bytes per call" "behind the loop"
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  return all;
}

void spectrum(FILE *out, const double *energy, const int *number, int modes, int shells, int rank, MPI_Comm comm) {
  for (int k = 1; k <= shells; k++) {
    const double e = shell(energy, number, modes, k, comm);
    if (rank == 0)
      fprintf(out, "%d %g\n", k, e);
  }
}

// A report: nothing but reductions and lines.
void print_spectrum(FILE *out, double *own, double *energies, int shells, int rank, MPI_Comm comm) {
  for (int k = 0; k < shells; k++) {
    // expect: mpi-tiny-messages low "loop over 'k' passes 8 bytes per call" "the range is contiguous"
    MPI_Allreduce(&own[k], &energies[k], 1, MPI_DOUBLE, MPI_SUM, comm);
    if (rank == 0)
      fprintf(out, "%d %g\n", k, energies[k]);
  }
}

// To one rank, for all that one can see at the end of the program.
void print_timers(const double *own, int timers, int rank, MPI_Comm comm) {
  for (int t = 0; t < timers; t++) {
    double longest;
    // expect: mpi-tiny-messages low "loop over 't' passes 8 bytes per call"
    MPI_Reduce(&own[t], &longest, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
    if (rank == 0)
      printf("%d %g\n", t, longest);
  }
}

// Each so many steps.
static void print_moments(const double *own, int moments, int rank, MPI_Comm comm) {
  for (int m = 0; m < moments; m++) {
    double sum;
    // expect: mpi-tiny-messages medium "loop over 'm' passes 8 bytes per call"
    MPI_Reduce(&own[m], &sum, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
    if (rank == 0)
      printf("%d %g\n", m, sum);
  }
}

void steps(double *own, int moments, int rank, int count, MPI_Comm comm) {
  for (int s = 0; s < count; s++) {
    for (int m = 0; m < moments; m++)
      own[m] *= 0.99;
    if (s % 100 == 0)
      print_moments(own, moments, rank, comm);
  }
}
