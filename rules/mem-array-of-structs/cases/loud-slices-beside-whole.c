// Most loops use much of a site; the vectors of the solver are walked alone by a few, through functions of other units
// and by an offset that callers name. They fill lines of their own, so that the others lose nothing by another layout.
#include <stddef.h>

typedef struct {
  double re, im;
} number;

typedef struct {
  number c[3];
} vector;

typedef struct {
  number e[3][3];
} matrix;

typedef struct {
  short x, y, z, t;
  matrix link[4], fat[4];
  double phase[4];
  vector phi, solution, resid, p, mp, spare[4];
  matrix staple, work;
} site;

extern site *lattice;
extern int sites;

void add_scaled(vector *to, const vector *from, double factor);
double norm(const vector *v);
void multiply(size_t to, size_t from);
double global_sum(double mine);
void transport(matrix *link, matrix *fat, double *phase, vector *all, matrix *staple);

#define AT(s, offset) ((vector *)((char *)(s) + (offset)))
#define FORALLSITES(i, s) for (i = 0, s = lattice; i < sites; i++, s++)

int solve(size_t dest, double limit) {
  int i, steps;
  site *s;
  double rest = 2.0 * limit;
  for (steps = 0; steps < 500 && rest > limit; steps++) {
    double product = 0.0;
    multiply(offsetof(site, mp), offsetof(site, p));
    FORALLSITES(i, s) transport(s->link, s->fat, s->phase, &s->phi, &s->staple);
    FORALLSITES(i, s) transport(s->link, s->fat, s->phase, &s->solution, &s->work);
    FORALLSITES(i, s) transport(s->fat, s->link, s->phase, s->spare, &s->work);
    FORALLSITES(i, s) transport(s->fat, s->link, s->phase, &s->phi, &s->work);
    FORALLSITES(i, s) transport(s->link, s->fat, s->phase, &s->phi, &s->work);
    // expect: mem-array-of-structs medium "uses 48 of the 1912 bytes" "keep mp, resid, p, what else it uses in"
    FORALLSITES(i, s) product += norm(&s->mp);
    product = global_sum(product);
    rest = 0.0;
    FORALLSITES(i, s) {
      add_scaled(AT(s, dest), &s->p, product);
      add_scaled(&s->resid, &s->mp, product);
      rest += norm(&s->resid);
    }
    rest = global_sum(rest);
  }
  return steps;
}
