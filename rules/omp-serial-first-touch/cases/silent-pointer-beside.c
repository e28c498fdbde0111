// flags: -fopenmp
// The pointer beside the counter goes to what a list says.
#include <stdlib.h>

typedef struct Site {
  int index;
  double link[72];
  struct Site *next;
} Site;

static Site *lattice;
static int sites;

static void some(int *list, int n) {
  int i;
  Site *s;
  lattice = malloc(sites * sizeof(Site));
  for (i = 0, s = lattice; i < n; i++, s++) {
    s->index = i;
    s = &lattice[list[0]];
  }
}

static void update(double factor) {
#pragma omp parallel for
  for (int i = 0; i < sites; i++)
    for (int j = 0; j < 72; j++)
      lattice[i].link[j] += factor;
}

void run(int n, int *list, int steps) {
  sites = n;
  some(list, n / 1000);
  for (int step = 0; step < steps; step++)
    update(0.5);
}
