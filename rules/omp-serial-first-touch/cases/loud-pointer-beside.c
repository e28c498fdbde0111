// flags: -fopenmp
// Sites of a lattice behind a pointer that goes along with the counter, in a macro and written out.
#include <stdlib.h>

typedef struct {
  int parity, index;
  double link[72], phi[6];
} Site;

static Site *lattice, *old;
static int sites;

#define FORALLSITES(i, s) for (i = 0, s = lattice; i < sites; i++, s++)

static void make(void) {
  int i, j;
  Site *s;
  lattice = malloc(sites * sizeof(Site));
  old = malloc(sites * sizeof(Site));
  // expect: omp-serial-first-touch medium "'lattice'" "line 41"
  FORALLSITES(i, s) {
    s->index = i;
    for (j = 0; j < 72; j++)
      s->link[j] = 0;
  }
  // From behind.
  // expect: omp-serial-first-touch medium "'old'" "line 41"
  for (i = sites - 1, s = old + sites - 1; i >= 0; i--, s--) {
    s->index = i;
    for (j = 0; j < 72; j++)
      s->link[j] = 0;
  }
}

static void update(double factor, int to, int from) {
#pragma omp parallel
  {
    int i, j;
    Site *s, *t;
#pragma omp for
    for (i = 0; i < sites; i++) {
      s = &lattice[i];
      t = &old[i];
      for (j = 0; j < 6; j++)
        ((double *)((char *)s + to))[j] += factor * ((double *)((char *)s + from))[j];
      for (j = 0; j < 72; j++)
        s->link[j] = t->link[j] = 0.5 * (s->link[j] + t->link[j]);
    }
  }
}

void run(int n, int steps) {
  sites = n;
  make();
  for (int step = 0; step < steps; step++)
    update(0.5, 8, 584);
}
