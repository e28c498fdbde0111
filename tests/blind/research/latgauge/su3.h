#ifndef SU3_H
#define SU3_H
#include <math.h>

typedef struct { double real, imag; } cplx_t;
typedef struct { cplx_t e[3][3]; } su3_matrix;
typedef struct { cplx_t c[3]; } su3_vector;
typedef struct { cplx_t m01, m02, m12; double m00im, m11im, m22im, space; } anti_hermitmat;

#define CMULADD(d, a, b) do { \
    (d).real += (a).real * (b).real - (a).imag * (b).imag; \
    (d).imag += (a).real * (b).imag + (a).imag * (b).real; } while (0)
#define CMULJADD(d, a, b) do { /* d += conj(a)*b */ \
    (d).real += (a).real * (b).real + (a).imag * (b).imag; \
    (d).imag += (a).real * (b).imag - (a).imag * (b).real; } while (0)
#define CMULADDJ(d, a, b) CMULJADD(d, b, a)

static inline void mult_nn(const su3_matrix *a, const su3_matrix *b, su3_matrix *c)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            cplx_t s = {0, 0};
            for (int k = 0; k < 3; k++) CMULADD(s, a->e[i][k], b->e[k][j]);
            c->e[i][j] = s;
        }
}

static inline void mult_na(const su3_matrix *a, const su3_matrix *b, su3_matrix *c)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            cplx_t s = {0, 0};
            for (int k = 0; k < 3; k++) CMULADDJ(s, a->e[i][k], b->e[j][k]);
            c->e[i][j] = s;
        }
}

static inline void mult_an(const su3_matrix *a, const su3_matrix *b, su3_matrix *c)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            cplx_t s = {0, 0};
            for (int k = 0; k < 3; k++) CMULJADD(s, a->e[k][i], b->e[k][j]);
            c->e[i][j] = s;
        }
}

static inline void mult_vec_add(const su3_matrix *u, const su3_vector *v, double w, su3_vector *d)
{
    for (int i = 0; i < 3; i++) {
        cplx_t s = {0, 0};
        for (int k = 0; k < 3; k++) CMULADD(s, u->e[i][k], v->c[k]);
        d->c[i].real += w * s.real;
        d->c[i].imag += w * s.imag;
    }
}

static inline void mult_adj_vec_add(const su3_matrix *u, const su3_vector *v, double w, su3_vector *d)
{
    for (int i = 0; i < 3; i++) {
        cplx_t s = {0, 0};
        for (int k = 0; k < 3; k++) CMULJADD(s, u->e[k][i], v->c[k]);
        d->c[i].real += w * s.real;
        d->c[i].imag += w * s.imag;
    }
}

static inline double vec_rdot(const su3_vector *a, const su3_vector *b)
{
    double s = 0;
    for (int i = 0; i < 3; i++) s += a->c[i].real * b->c[i].real + a->c[i].imag * b->c[i].imag;
    return s;
}

static inline double re_trace(const su3_matrix *m) { return m->e[0][0].real + m->e[1][1].real + m->e[2][2].real; }
#endif
