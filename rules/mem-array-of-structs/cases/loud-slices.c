// Records of a site with all fields of the program: each sweep takes a slice, whole lines of it, from every few hundred
// bytes.
#include <stdlib.h>

typedef struct {
  double re, im;
} number;

typedef struct {
  number e[3][3];
} matrix;

typedef struct {
  number c[3];
} vector;

typedef struct {
  short x, y, z, t;
  matrix link[4];
  vector phi, resid, p, mp, spare[2];
  matrix staple;
} site;

site *lattice;
int sites;

#define FORALLSITES(i, s) for (i = 0, s = lattice; i < sites; i++, s++)

static void update(double a) {
  int i, c;
  site *s;
  // expect: mem-array-of-structs medium "uses 96 of the 1016 bytes" "jumps 1016 bytes to the next record"
  FORALLSITES(i, s)
    for (c = 0; c < 3; c++) {
      s->p.c[c].re = s->resid.c[c].re + a * s->p.c[c].re;
      s->p.c[c].im = s->resid.c[c].im + a * s->p.c[c].im;
    }
}

static double norm(void) {
  int i, c;
  site *s;
  double sum = 0;
  FORALLSITES(i, s)
    for (c = 0; c < 3; c++)
      sum += s->resid.c[c].re * s->resid.c[c].re + s->resid.c[c].im * s->resid.c[c].im;
  return sum;
}

int main(int argc, char **argv) {
  sites = atoi(argv[argc - 1]);
  lattice = calloc(sites, sizeof(site));
  double rest = 1;
  while (rest > 1e-9) {
    update(rest);
    rest = norm();
  }
  return rest > 0;
}
