#include "reactnet.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add(struct network *n, int type, double A, double beta, double Ea, int r0, int r1, int p0, int p1)
{
    struct reaction *x = &n->rx[n->nreac++];
    memset(x, 0, sizeof *x);
    x->type = type; x->nr = type == R_BI ? 2 : 1;
    x->A = A; x->beta = beta; x->Ea = Ea;
    x->r[0] = r0; x->r[1] = r1; x->p[0] = p0; x->p[1] = p1;
}

void net_build(struct network *n, int ns)
{
    char *mask = calloc(MAXSP * MAXSP, 1);
    memset(n, 0, sizeof *n);
    n->ns = ns;
    n->rx = malloc((4 * ns + 4) * sizeof *n->rx);
    add(n, R_BI, 4.0e3, 0.0, 9000.0, 0, 1, 2, 3);
    add(n, R_PHOT, 0.02, 0.0, 0.0, 0, 0, 2, 2);
    for (int s = 2; s < ns; s++) {
        const int q = s + 1 < ns ? s + 1 : 2, w = 2 + (7 * s + 3) % (ns - 2);
        add(n, R_UNI, 30.0 / s, 0.1, 3000.0 + 150.0 * s, s, s, q, q);
        add(n, R_BI, 2.0e2, 0.3, 5000.0, s, s % 2, w, q);
        if (s % 3 == 0) add(n, R_PHOT, 0.05, 0.0, 0.0, s, s, s - 1, s - 1);
    }
    for (int s = 0; s < ns; s++) n->enth[s] = s < 2 ? 1.0 : 0.4 * exp(-0.3 * (s - 2));
    for (int r = 0; r < n->nreac; r++)
        for (int a = 0; a < n->rx[r].nr; a++)
            for (int k = 0; k < 2; k++) {
                mask[n->rx[r].r[k] * ns + n->rx[r].r[a]] = 1;
                mask[n->rx[r].p[k] * ns + n->rx[r].r[a]] = 1;
            }
    n->rp = calloc(ns + 1, sizeof(int));
    n->col = malloc(ns * ns * sizeof(int));
    n->slot = malloc(ns * ns * sizeof(int));
    for (int i = 0; i < ns; i++) {
        for (int j = 0; j < ns; j++)
            if (mask[i * ns + j]) { n->col[n->nnz] = j; n->slot[n->nnz++] = i * ns + j; }
        n->rp[i + 1] = n->nnz;
    }
    free(mask);
}

/* k[r*nb + b], rate constants for a row of nb cells */
void net_rates(const struct network *n, const double *T, int nb, double *k)
{
    for (int b = 0; b < nb; b++) {
        const double lt = log(T[b] / 300.0), it = 1.0 / T[b];
        double *kb = k + b;
        for (int r = 0; r < n->nreac; r++, kb += nb) {
            const struct reaction *x = n->rx + r;
            if (x->type == R_PHOT) { *kb = x->A; continue; }
            *kb = x->A * exp(x->beta * lt - x->Ea * it);
        }
    }
}

static inline double speed(const struct reaction *x, const double *y, double k, double ph)
{
    switch (x->type) {
    case R_BI:   return k * y[x->r[0]] * y[x->r[1]];
    case R_PHOT: return k * ph * y[x->r[0]];
    default:     return k * y[x->r[0]];
    }
}

void net_rhs(const struct network *n, const double *y, const double *k, int ks, double ph, double *f)
{
    memset(f, 0, n->ns * sizeof *f);
    for (int r = 0; r < n->nreac; r++) {
        const struct reaction *x = &n->rx[r];
        const double v = speed(x, y, k[(size_t)r * ks], ph);
        if (x->nr == 2) { f[x->r[0]] -= v; f[x->r[1]] -= v; f[x->p[0]] += v; f[x->p[1]] += v; }
        else { f[x->r[0]] -= v; f[x->p[0]] += 0.5 * v; f[x->p[1]] += 0.5 * v; }
    }
}

void net_jac(const struct network *n, const double *y, const double *k, int ks, double ph, double *J)
{
    const int ns = n->ns;
    for (int i = 0; i < ns; i++)
        for (int p = n->rp[i]; p < n->rp[i + 1]; p++) J[n->slot[p]] = 0.0;
    for (int r = 0; r < n->nreac; r++) {
        const struct reaction *x = &n->rx[r];
        const double kr = k[(size_t)r * ks] * (x->type == R_PHOT ? ph : 1.0);
        for (int a = 0; a < x->nr; a++) {
            const int c = x->r[a];
            const double d = x->nr == 2 ? kr * y[x->r[1 - a]] : kr, w = x->nr == 2 ? 1.0 : 0.5;
            J[x->r[0] * ns + c] -= d;
            if (x->nr == 2) J[x->r[1] * ns + c] -= d;
            J[x->p[0] * ns + c] += w * d;
            J[x->p[1] * ns + c] += w * d;
        }
    }
}
