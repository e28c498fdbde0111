// flags: -fopenmp
// The value comes from a function that keeps a state, whatever its name begins with: two threads at once would take the
// same number, so that the section guards more than the sum. (Each section has a name of its own, to be judged alone.)
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern double logged_value(void); // the next line of a file
extern int single_step(void);
extern double exponent(const double *from);
extern double power_used(int socket);

double total;
long steps;

// A library's name, and a counter behind it.
static double cosine_calls;
static double counted(double x) {
  cosine_calls += 1;
  return cos(x);
}

static double drawn(void) {
  static unsigned seed = 7;
  seed = seed * 1103515245u + 12345u;
  return seed / 4294967296.0;
}

void from_files(int n, const double *from) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical(a)
    total += logged_value();
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical(b)
    steps += single_step();
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical(c)
    total += exponent(from);
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical(d)
    total += power_used(i % 2);
  }
}

void from_generators(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical(e)
    total += rand();
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical(f)
    total += drawn();
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical(g)
    total += counted(i);
  }
}

void from_clocks_and_terminals(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical(h)
    steps += clock();
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical(i)
    steps += printf("%d\n", i);
  }
}
