#include "lattice.h"
#include <stdlib.h>
#include <string.h>

#define UP(mu, e) (nbr_up[mu][e])
#define DN(mu, e) (nbr_dn[mu][e])
#define L(mu, e) (&links[mu][e])

/* average plaquettes, space-space and space-time */
void plaquette(double *ss, double *st)
{
    su3_matrix a, b;
    double sp = 0, tp = 0, dev = 0;
    for (int e = slab; e < slab + volume; e++) {
        for (int mu = YUP; mu <= TUP; mu++)
            for (int nu = XUP; nu < mu; nu++) {
                mult_nn(L(mu, e), L(nu, UP(mu, e)), &a);
                mult_nn(L(nu, e), L(mu, UP(nu, e)), &b);
                double tr = 0;
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < 3; c++) tr += a.e[r][c].real * b.e[r][c].real + a.e[r][c].imag * b.e[r][c].imag;
                if (mu == TUP) tp += tr; else sp += tr;
                dev += (tr - 3.0) * (tr - 3.0);
            }
    }
    GSUM(sp);
    GSUM(tp);
    GSUM(dev);
    *ss = sp / (9.0 * volume * num_nodes);
    *st = tp / (9.0 * volume * num_nodes);
}

static void staple(int mu, int e, su3_matrix *out)
{
    su3_matrix a, b;
    memset(out, 0, sizeof *out);
    FORALLDIR(nu) {
        if (nu == mu) continue;
        const int em = DN(nu, e);
        mult_na(L(nu, UP(mu, e)), L(mu, UP(nu, e)), &a);
        mult_na(&a, L(nu, e), &b);
        for (int k = 0; k < 9; k++) {
            (&out->e[0][0])[k].real += (&b.e[0][0])[k].real;
            (&out->e[0][0])[k].imag += (&b.e[0][0])[k].imag;
        }
        mult_nn(L(mu, em), L(nu, UP(mu, em)), &a);
        mult_an(&a, L(nu, em), &b);
        for (int k = 0; k < 9; k++) {
            (&out->e[0][0])[k].real += (&b.e[0][0])[k].real;
            (&out->e[0][0])[k].imag += (&b.e[0][0])[k].imag;
        }
    }
}

static void make_ah(const su3_matrix *m, anti_hermitmat *h)
{
    const double tr = (m->e[0][0].imag + m->e[1][1].imag + m->e[2][2].imag) / 3.0;
#define OFFD(d, i, j) do { (d).real = 0.5 * (m->e[i][j].real - m->e[j][i].real); \
                           (d).imag = 0.5 * (m->e[i][j].imag + m->e[j][i].imag); } while (0)
    OFFD(h->m01, 0, 1); OFFD(h->m02, 0, 2); OFFD(h->m12, 1, 2);
    h->m00im = m->e[0][0].imag - tr; h->m11im = m->e[1][1].imag - tr; h->m22im = m->e[2][2].imag - tr;
}

static void expand_ah(const anti_hermitmat *h, double w, su3_matrix *m)
{
    memset(m, 0, sizeof *m);
#define SETOFF(d, i, j) do { m->e[i][j].real = w * (d).real; m->e[i][j].imag = w * (d).imag; \
                             m->e[j][i].real = -w * (d).real; m->e[j][i].imag = w * (d).imag; } while (0)
    SETOFF(h->m01, 0, 1); SETOFF(h->m02, 0, 2); SETOFF(h->m12, 1, 2);
    m->e[0][0].imag = w * h->m00im; m->e[1][1].imag = w * h->m11im; m->e[2][2].imag = w * h->m22im;
}

/* one Euler step of the Wilson flow */
void flow_step(double eps)
{
    su3_matrix s, m;
    exchange_links();
    FORSWEEP(n, i) {
        FORALLDIR(mu) {
            staple(mu, i + slab, &s);
            mult_na(&G(mu, i), &s, &m);
            make_ah(&m, &lattice[i].mom[mu]);
        }
    }
    for (int mu = XUP; mu <= TUP; mu++)
        for (int i = 0; i < volume; i++) {
            su3_matrix z, p, q, *u = &G(mu, i);
            expand_ah(&lattice[i].mom[mu], -eps, &z);
            p = *u;
            for (int k = 1; k <= 8; k++) {
                mult_nn(&z, &p, &q);
                for (int c = 0; c < 9; c++) {
                    (&q.e[0][0])[c].real /= k; (&q.e[0][0])[c].imag /= k;
                    (&u->e[0][0])[c].real += (&q.e[0][0])[c].real; (&u->e[0][0])[c].imag += (&q.e[0][0])[c].imag;
                }
                p = q;
            }
        }
}

/* out = v + a * sum of covariant spatial/temporal neighbours */
void fat_vector(su3_vector *v, su3_vector *out, double a)
{
    msg_tag tag;
    start_gather(v, &tag);
    for (int e = slab; e < slab + volume; e++) {
        su3_vector *d = &out[e];
        *d = v[e];
        for (int mu = XUP; mu <= ZUP; mu++) {
            mult_vec_add(L(mu, e), &v[UP(mu, e)], a, d);
            mult_adj_vec_add(L(mu, DN(mu, e)), &v[DN(mu, e)], a, d);
        }
    }
    wait_gather(&tag);
    for (int e = slab; e < slab + volume; e++) {
        mult_vec_add(L(TUP, e), &v[e + slab], a, &out[e]);
        mult_adj_vec_add(L(TUP, e - slab), &v[e - slab], a, &out[e]);
    }
}
