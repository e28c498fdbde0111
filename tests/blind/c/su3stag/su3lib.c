/* su3lib.c: 3x3 complex algebra */
#include "lattice.h"

void mult_su3_nn(su3_matrix *a, su3_matrix *b, su3_matrix *c)
{
  int i, j, k;
  complex x, y;
  for (i = 0; i < 3; i++) for (j = 0; j < 3; j++) {
    x.real = x.imag = 0.0;
    for (k = 0; k < 3; k++) {
      CMUL(a->e[i][k], b->e[k][j], y);
      CSUM(x, y);
    }
    c->e[i][j] = x;
  }
}

void mult_su3_na(su3_matrix *a, su3_matrix *b, su3_matrix *c)
{
  int i, j, k;
  complex x, y;
  for (i = 0; i < 3; i++) for (j = 0; j < 3; j++) {
    x.real = x.imag = 0.0;
    for (k = 0; k < 3; k++) {
      CMULJ_(b->e[j][k], a->e[i][k], y);
      CSUM(x, y);
    }
    c->e[i][j] = x;
  }
}

void mult_su3_an(su3_matrix *a, su3_matrix *b, su3_matrix *c)
{
  int i, j, k;
  complex x, y;
  for (i = 0; i < 3; i++) for (j = 0; j < 3; j++) {
    x.real = x.imag = 0.0;
    for (k = 0; k < 3; k++) {
      CMULJ_(a->e[k][i], b->e[k][j], y);
      CSUM(x, y);
    }
    c->e[i][j] = x;
  }
}

void mult_su3_mat_vec(su3_matrix *a, su3_vector *b, su3_vector *c)
{
  int i, j;
  complex y;
  for (i = 0; i < 3; i++) {
    complex x = {0.0, 0.0};
    for (j = 0; j < 3; j++) { CMUL(a->e[i][j], b->c[j], y); CSUM(x, y); }
    c->c[i] = x;
  }
}

void mult_adj_su3_mat_vec(su3_matrix *a, su3_vector *b, su3_vector *c)
{
  int i, j;
  complex y;
  for (i = 0; i < 3; i++) {
    complex x = {0.0, 0.0};
    for (j = 0; j < 3; j++) { CMULJ_(a->e[j][i], b->c[j], y); CSUM(x, y); }
    c->c[i] = x;
  }
}

void add_su3_vector(su3_vector *a, su3_vector *b, su3_vector *c)
{
  int i;
  for (i = 0; i < 3; i++) {
    c->c[i].real = a->c[i].real + b->c[i].real;
    c->c[i].imag = a->c[i].imag + b->c[i].imag;
  }
}

void sub_su3_vector(su3_vector *a, su3_vector *b, su3_vector *c)
{
  scalar_mult_add_su3_vector(a, b, -1.0, c);
}

void scalar_mult_add_su3_vector(su3_vector *a, su3_vector *b, double s, su3_vector *c)
{
  int i;
  for (i = 0; i < 3; i++) {
    c->c[i].real = a->c[i].real + s*b->c[i].real;
    c->c[i].imag = a->c[i].imag + s*b->c[i].imag;
  }
}

double magsq_su3vec(su3_vector *a) { return su3_rdot(a, a); }

double su3_rdot(su3_vector *a, su3_vector *b)
{
  int i;
  double s = 0.0;
  for (i = 0; i < 3; i++) s += a->c[i].real*b->c[i].real + a->c[i].imag*b->c[i].imag;
  return s;
}

/* Re tr a^dagger b */
double realtrace_su3(su3_matrix *a, su3_matrix *b)
{
  int i, j;
  double s = 0.0;
  for (i = 0; i < 3; i++) for (j = 0; j < 3; j++)
    s += a->e[i][j].real*b->e[i][j].real + a->e[i][j].imag*b->e[i][j].imag;
  return s;
}

void reunit_su3(su3_matrix *c)
{
  int i, r;
  double n;
  complex d, y;
  for (r = 0; r < 2; r++) {
    if (r == 1) {
      d.real = d.imag = 0.0;
      for (i = 0; i < 3; i++) { CMULJ_(c->e[0][i], c->e[1][i], y); CSUM(d, y); }
      for (i = 0; i < 3; i++) {
        CMUL(d, c->e[0][i], y);
        c->e[1][i].real -= y.real; c->e[1][i].imag -= y.imag;
      }
    }
    n = 0.0;
    for (i = 0; i < 3; i++) n += c->e[r][i].real*c->e[r][i].real + c->e[r][i].imag*c->e[r][i].imag;
    n = 1.0/sqrt(n);
    for (i = 0; i < 3; i++) { c->e[r][i].real *= n; c->e[r][i].imag *= n; }
  }
  for (i = 0; i < 3; i++) {   /* third row: conj. cross product */
    int j = (i+1)%3, k = (i+2)%3;
    complex p, q;
    CMUL(c->e[0][j], c->e[1][k], p);
    CMUL(c->e[0][k], c->e[1][j], q);
    c->e[2][i].real = p.real - q.real;
    c->e[2][i].imag = -(p.imag - q.imag);
  }
}
