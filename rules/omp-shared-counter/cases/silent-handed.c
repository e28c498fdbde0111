// flags: -fopenmp
// What looks like scratch that all threads have in common, and is none.
#include <stdlib.h>
#include <string.h>

typedef struct {
  double e[3][3];
} matrix;

static void copy(const matrix *a, matrix *c) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c->e[i][j] = a->e[j][i];
}

// Of the iteration, of the thread by a clause, or kept by each thread.
static matrix kept;
#pragma omp threadprivate(kept)

void own(const matrix *a, double *trace, int n) {
  matrix clause;
#pragma omp parallel for private(clause)
  for (int i = 0; i < n; i++) {
    matrix local;
    copy(&a[i], &local);
    copy(&local, &clause);
    copy(&clause, &kept);
    trace[i] = kept.e[0][0];
  }
}

// An argument chooses the element.
static void set(double *x, int at, double value) {
  double twice = 2 * value;
  x[at] = twice;
}

void chosen(double *x, const double *y, double *z, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    set(x, i, y[i]);
    z[i] = x[i];
  }
}

// One at a time.
void guarded(const matrix *a, double *trace, int n) {
  matrix t;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical
    {
      copy(&a[i], &t);
      trace[i] = t.e[0][0];
    }
  }
}

// Nobody knows what they do, and they get nothing of the iteration's: locks, perhaps.
void begin_turn(void *);
void end_turn(void *);

void turns(const matrix *a, double *trace, void *turn, int n) {
  matrix t;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    begin_turn(turn);
    copy(&a[i], &t);
    trace[i] = t.e[0][0];
    end_turn(turn);
  }
}

// The iteration that finds it, alone.
void last(const matrix *a, matrix *t, const int *key, int wanted, double *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (key[i] == wanted) {
      copy(&a[i], t);
      out[i] = t->e[0][0];
    }
  }
}

// The same value in each call: a table that is made on the way.
static const double *table(int n) {
  static double values[4];
  values[0] = 1;
  values[1] = 0.5;
  return values;
}

void scaled(double *x, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    x[i] *= table(i)[0];
}

// It only reads, and says so.
static double norm(const matrix *m, double by) { return m->e[0][0] * by; }

void norms(const matrix *m, const double *by, double *out, int n) {
  matrix first = *m;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    out[i] = norm(&first, by[i]) + first.e[0][1];
}

// A line for each thread.
int omp_get_thread_num(void);

void lines(double *x, int rows, int columns, int threads) {
  double *all = malloc(threads * columns * sizeof(double));
#pragma omp parallel for
  for (int i = 0; i < rows; i++) {
    double *line = all + omp_get_thread_num() * columns;
    memcpy(line, x + i * columns, columns * sizeof(double));
    for (int j = 0; j < columns; j++)
      x[i * columns + j] = line[columns - 1 - j];
  }
  free(all);
}

// A table, which nobody changes.
void weigh(const double (*x)[4], double *out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    static const double weight[4] = {1, 3, 3, 1};
    double sum = 0;
    for (int k = 0; k < 4; k++)
      sum += weight[k] * x[i][k];
    out[i] = sum;
  }
}

// A part for each thread by a clause.
static void note(double *most, double value, int at) {
  double v = value * at;
  most[0] = v;
}

double sum(const double *x, int n) {
  double parts[4] = {0, 0, 0, 0};
#pragma omp parallel for reduction(+ : parts[ : 4])
  for (int i = 0; i < n; i++) {
    note(parts, x[i], i);
    parts[1] += parts[0];
  }
  return parts[1];
}
