// flags: -fopenmp
// fixes: omp-serial-first-touch
// Which fills a team can share as they stand: those of which no iteration needs what another one leaves.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 600, COLUMNS = 700 };

static double *field[9];

static double *allocate(void) { return malloc((size_t)ROWS * COLUMNS * sizeof(double)); }

static double part(int i, int j) { return sqrt((double)(i * 3 + j)); }

static void use(double *a) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      a[i * COLUMNS + j] *= 1.5;
}

static unsigned draw(unsigned *seed) { return *seed = *seed * 1664525u + 1013904223u; }

int main(void) {
  int i, j, k = 0, m;
  double last = 0.0, row[4];
  unsigned seed = 1;
  for (i = 0; i < 9; i++)
    field[i] = allocate();
  double *a = allocate(), *b = allocate(), *c = allocate(), *d = allocate(), *e = allocate(), *f = allocate(),
         *g = allocate(), *h = allocate();

  // The counter of the inner loop becomes each thread's own.
  // expect: omp-serial-first-touch high "'a'" fix
  for (i = 0; i < ROWS; i++)
    for (j = 0; j < COLUMNS; j++)
      a[i * COLUMNS + j] = part(i, j);

  // Each element is made of the one before.
  b[0] = 1.0;
  // expect: omp-serial-first-touch high "'b'" no-fix
  for (int n = 1; n < ROWS * COLUMNS; n++)
    b[n] = b[n - 1] * 0.999;

  // A number is counted up.
  // expect: omp-serial-first-touch high "'c'" no-fix
  for (int n = 0; n < ROWS * COLUMNS; n++) {
    c[n] = k;
    k += 3;
  }

  // So does the generator of random numbers.
  // expect: omp-serial-first-touch high "'d'" no-fix
  for (int n = 0; n < ROWS * COLUMNS; n++)
    d[n] = draw(&seed) % 7;

  // What the last iteration leaves is read afterwards.
  // expect: omp-serial-first-touch high "'e'" no-fix
  for (int n = 0; n < ROWS * COLUMNS; n++) {
    last = 0.5 * n;
    e[n] = last;
  }

  // All threads would write the same row.
  // expect: omp-serial-first-touch high "'f'" no-fix
  for (int n = 0; n < ROWS * COLUMNS; n++) {
    row[0] = n;
    row[1] = 2.0 * n;
    f[n] = row[0] + row[1];
  }

  // The element that the loop ends with is its last iteration's.
  // expect: omp-serial-first-touch high "'g'" no-fix
  for (int n = 0; n < ROWS * COLUMNS; n++) {
    g[n] = n % 5;
    field[0][0] = n;
  }

  // A counter that is asked for behind its loop.
  // expect: omp-serial-first-touch high "'h'" no-fix
  for (m = 0; m < ROWS * COLUMNS; m++)
    h[m] = m % 11;
  printf("%d %d %g %g\n", m, k, last, field[0][0]);

  double *all[] = {a, b, c, d, e, f, g, h};
  for (int step = 0; step < 20; step++) {
    use(a);
    use(b);
    use(c);
    use(d);
    use(e);
    use(f);
    use(g);
    use(h);
  }
  for (int n = 0; n < 8; n++)
    printf("%.6e\n", all[n][1234]);
  return 0;
}
