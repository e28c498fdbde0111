// A clock beside the barrier, and a reason not to speak of it: what follows meets anyway or has an order, the barrier
// runs in few steps or on request, or being timed is all that the loop is for.
#include <mpi.h>
#include <stdio.h>

static double begun, spent;

static void start(void) { begun = MPI_Wtime(); }
static void stop(void) { spent += MPI_Wtime() - begun; }

static void relax(double *u, double *next, int n) {
  for (int i = 1; i <= n; i++)
    next[i] = 0.5 * (u[i - 1] + u[i + 1]);
  for (int i = 1; i <= n; i++)
    u[i] = next[i];
}

static void exchange(double *u, int n, int left, int right) {
  MPI_Sendrecv(&u[n], 1, MPI_DOUBLE, right, 0, &u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// A collective call is the next thing, here and in a function that is not inlined.
double meet(double *u, double *next, int n, int steps) {
  double most = 0.0;
  for (int step = 0; step < steps; step++) {
    relax(u, next, n);
    MPI_Barrier(MPI_COMM_WORLD);
    start();
    MPI_Allreduce(&u[1], &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    stop();
    u[0] = most;
  }
  return most;
}

__attribute__((noinline)) static double largest(double mine) {
  double most;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

__attribute__((noinline)) static void restart(void) { begun = MPI_Wtime(); }

void meet_within(double *u, double *next, int n, int steps) {
  for (int step = 0; step < steps; step++) {
    relax(u, next, n);
    MPI_Barrier(MPI_COMM_WORLD);
    restart();
    u[0] = largest(u[1]);
    stop();
  }
}

// Output beside it.
void print(double *u, double *next, int n, int steps, int left, int right, int rank) {
  for (int step = 0; step < steps; step++) {
    relax(u, next, n);
    exchange(u, n, left, right);
    MPI_Barrier(MPI_COMM_WORLD);
    start();
    printf("%d: %g\n", rank, u[1]);
    relax(u, next, n);
    stop();
  }
}

// Calls through a pointer do anything.
void apply(double *u, double *next, int n, int steps, int left, int right, void (*filter)(double *, int)) {
  for (int step = 0; step < steps; step++) {
    relax(u, next, n);
    MPI_Barrier(MPI_COMM_WORLD);
    start();
    exchange(u, n, left, right);
    stop();
    relax(u, next, n);
    filter(u, n);
  }
}

// Receives take what comes first.
void pass(double *u, double *next, int n, int steps, int left, int right) {
  for (int step = 0; step < steps; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    start();
    exchange(u, n, left, right);
    stop();
    relax(u, next, n);
    MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, right, 3, &next[0], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}

// Without it, rank 0 would be flooded.
void collect(double *u, double *next, int n, int steps, int left, int right, int rank, int size) {
  for (int step = 0; step < steps; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    start();
    exchange(u, n, left, right);
    stop();
    relax(u, next, n);
    if (rank == 0)
      for (int source = 1; source < size; source++)
        // expect: mpi-handmade-collective medium
        MPI_Recv(&next[source], 1, MPI_DOUBLE, source, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Send(&u[1], 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
  }
}

// One step in so many, or on request.
void sample(double *u, double *next, int n, int steps, int left, int right, int timed) {
  for (int step = 0; step < steps; step++) {
    relax(u, next, n);
    if (step % 100 == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
      start();
    }
    exchange(u, n, left, right);
    relax(u, next, n);
    if (timed) {
      MPI_Barrier(MPI_COMM_WORLD);
      stop();
    }
  }
}

// A benchmark: all that the loop does is timed.
void measure(double *u, int n, int trials, int left, int right, double *seconds) {
  for (int trial = 0; trial < trials; trial++) {
    MPI_Barrier(MPI_COMM_WORLD);
    seconds[0] -= MPI_Wtime();
    for (int i = 0; i < n; i++)
      u[i] = 0.5 * u[i] + 1.0;
    MPI_Barrier(MPI_COMM_WORLD);
    seconds[0] += MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    seconds[1] -= MPI_Wtime();
    exchange(u, n, left, right);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds[1] += MPI_Wtime();
  }
}

// A benchmark whose data are made anew for each trial, and whose trials are told apart: printed, kept, or the best one.
void print_each(double *u, int n, int trials, int left, int right) {
  for (int trial = 0; trial < trials; trial++) {
    for (int i = 0; i < n; i++)
      u[i] = i % 7;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    exchange(u, n, left, right);
    MPI_Barrier(MPI_COMM_WORLD);
    const double end = MPI_Wtime();
    printf("%d: %g us\n", trial, 1e6 * (end - begin));
  }
}

void keep_each(double *u, int n, int trials, int left, int right, double *seconds) {
  for (int trial = 0; trial < trials; trial++) {
    for (int i = 0; i < n; i++)
      u[i] = i % 7;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    exchange(u, n, left, right);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds[trial] = MPI_Wtime() - begin;
  }
}

double best_of(double *u, int n, int trials, int left, int right) {
  double best = 1e9;
  for (int trial = 0; trial < trials; trial++) {
    for (int i = 0; i < n; i++)
      u[i] = i % 7;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    exchange(u, n, left, right);
    MPI_Barrier(MPI_COMM_WORLD);
    const double took = MPI_Wtime() - begin;
    best = took < best ? took : best;
  }
  return best;
}
