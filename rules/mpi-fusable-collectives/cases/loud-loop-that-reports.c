// Reductions of a loop that prints what they give, and does nothing else: the lines take longer. Beside work they count.
#include <mpi.h>
#include <stdio.h>

enum { PARTS = 8 };

void report(const double *wall, const double *used, int rank, MPI_Comm comm) {
  for (int p = 0; p < PARTS; p++) {
    double longest, most;
    // expect: mpi-fusable-collectives low "that of line 12"
    MPI_Allreduce(&wall[p], &longest, 1, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Allreduce(&used[p], &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    if (rank == 0)
      printf("%d %g %g\n", p, longest, most);
  }
}

void advance(double *state);

void steps(double *state, int count, int rank, MPI_Comm comm) {
  for (int s = 0; s < count; s++) {
    double mass, energy;
    advance(state);
    // expect: mpi-fusable-collectives medium "that of line 26"
    MPI_Allreduce(&state[0], &mass, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Allreduce(&state[1], &energy, 1, MPI_DOUBLE, MPI_SUM, comm);
    if (rank == 0)
      printf("%d %g %g\n", s, mass, energy);
  }
}

// In each iteration of each step's solver.
void solve(double *state, int count, int iterations, MPI_Comm comm) {
  for (int s = 0; s < count; s++)
    for (int k = 0; k < iterations; k++) {
      double mass, energy;
      advance(state);
      // expect: mpi-fusable-collectives high "that of line 40"
      MPI_Allreduce(&state[0], &mass, 1, MPI_DOUBLE, MPI_SUM, comm);
      MPI_Allreduce(&state[1], &energy, 1, MPI_DOUBLE, MPI_SUM, comm);
      state[2] = mass * energy;
    }
}

// To the rank that reports, once in a step.
void reports(double *state, int count, MPI_Comm comm) {
  for (int s = 0; s < count; s++) {
    double mass, energy;
    advance(state);
    // expect: mpi-fusable-collectives low "that of line 52"
    MPI_Reduce(&state[0], &mass, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
    MPI_Reduce(&state[1], &energy, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
    state[2] = mass * energy;
  }
}

// Of a function that the step's loop calls: one loop, however the compiler joins them.
static void balance(double *state, MPI_Comm comm) {
  double mass, energy;
  // expect: mpi-fusable-collectives medium "that of line 62"
  MPI_Allreduce(&state[0], &mass, 1, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(&state[1], &energy, 1, MPI_DOUBLE, MPI_SUM, comm);
  state[2] = mass * energy;
}

void run(double *state, int count, MPI_Comm comm) {
  for (int s = 0; s < count; s++) {
    advance(state);
    balance(state, comm);
  }
}

// Beside a solver that makes its own in each iteration.
void implicit(double *state, int count, double limit, MPI_Comm comm) {
  for (int s = 0; s < count; s++) {
    double mass, energy, left;
    do {
      advance(state);
      MPI_Allreduce(&state[3], &left, 1, MPI_DOUBLE, MPI_MAX, comm);
    } while (left > limit);
    // expect: mpi-fusable-collectives low "that of line 83"
    MPI_Allreduce(&state[0], &mass, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Allreduce(&state[1], &energy, 1, MPI_DOUBLE, MPI_SUM, comm);
    state[2] = mass * energy;
  }
}

// Each so many steps.
static void show(double *state, MPI_Comm comm) {
  double mass, energy;
  // expect: mpi-fusable-collectives low "that of line 93"
  MPI_Allreduce(&state[0], &mass, 1, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(&state[1], &energy, 1, MPI_DOUBLE, MPI_SUM, comm);
  state[2] = mass * energy;
}

int main(int argc, char **argv) {
  static double state[4];
  MPI_Init(&argc, &argv);
  for (int s = 0; s < 1000; s++) {
    advance(state);
    if (s % 100 == 0)
      show(state, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
