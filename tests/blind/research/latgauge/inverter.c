#include "lattice.h"
#include <stdlib.h>

static su3_vector *t1, *t2;

/* staggered hopping term on an extended field */
static void dslash(su3_vector *src, su3_vector *dst)
{
    msg_tag tag;
    SYNC();
    start_gather(src, &tag);
    wait_gather(&tag);
    for (int i = 0; i < volume; i++) {
        const hop_t *h = &hops[8 * (size_t)i];
        su3_vector *d = &dst[i + slab];
        for (int c = 0; c < 3; c++) d->c[c].real = d->c[c].imag = 0.0;
        for (int k = 0; k < 8; k++, h++) {
            const double w = h->phase * h->bc;
            if (h->dag) mult_adj_vec_add(&links[h->mu][h->from], &src[h->from], w, d);
            else        mult_vec_add(&G(h->mu, i), &src[h->from], w, d);
        }
    }
}

/* dst = (m^2 - D^2) src, both members of the site */
static void apply_m2(size_t src, size_t dst, double mass)
{
    int i; site *s;
    FORALLSITES(i, s) t1[i + slab] = *F_PT(s, src);
    dslash(t1, t2);
    dslash(t2, t1);
    FORALLSITES(i, s) {
        su3_vector *d = F_PT(s, dst);
        const su3_vector *v = F_PT(s, src);
        for (int c = 0; c < 3; c++) {
            d->c[c].real = mass * mass * v->c[c].real - t1[i + slab].c[c].real;
            d->c[c].imag = mass * mass * v->c[c].imag - t1[i + slab].c[c].imag;
        }
    }
}

#define VAXPY(d, a, x) for (int c_ = 0; c_ < 3; c_++) { \
    (d)->c[c_].real += (a) * (x)->c[c_].real; (d)->c[c_].imag += (a) * (x)->c[c_].imag; }

int ks_congrad(double mass, int niter, double tol, double *final)
{
    int i, it; site *s;
    double rsq = 0, src2 = 0, pap, old, a, b;
    if (!t1) {
        t1 = calloc(volume + 2 * slab, sizeof *t1);
        t2 = calloc(volume + 2 * slab, sizeof *t2);
    }
    apply_m2(F_OFFSET(xxx), F_OFFSET(ttt), mass);
    FORALLSITES(i, s) {
        s->resid = s->phi;
        VAXPY(&s->resid, -1.0, &s->ttt);
        s->cg_p = s->resid;
        rsq += vec_rdot(&s->resid, &s->resid);
        src2 += vec_rdot(&s->phi, &s->phi);
    }
    g_doublesum(&rsq);
    g_doublesum(&src2);
    for (it = 0; it < niter && rsq > tol * tol * src2; it++) {
        apply_m2(F_OFFSET(cg_p), F_OFFSET(ttt), mass);
        pap = 0;
        FORALLSITES(i, s) pap += vec_rdot(&s->cg_p, &s->ttt);
        g_doublesum(&pap);
        a = rsq / pap;
        old = rsq;
        rsq = 0;
        FORALLSITES(i, s) {
            VAXPY(&s->xxx, a, &s->cg_p);
            VAXPY(&s->resid, -a, &s->ttt);
            rsq += vec_rdot(&s->resid, &s->resid);
        }
        g_doublesum(&rsq);
        b = rsq / old;
        FORALLSITES(i, s)
            for (int c = 0; c < 3; c++) {
                s->cg_p.c[c].real = s->resid.c[c].real + b * s->cg_p.c[c].real;
                s->cg_p.c[c].imag = s->resid.c[c].imag + b * s->cg_p.c[c].imag;
            }
    }
    *final = sqrt(rsq / src2);
    return it;
}
