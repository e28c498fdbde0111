#include <math.h>
#include <omp.h>
#include "dgeuler.h"

static inline void rusanov(const double *ql, const double *qr, int d, double *f)
{
    double pl = euler_pressure(ql[0], ql[1], ql[2], ql[3]), pr = euler_pressure(qr[0], qr[1], qr[2], qr[3]);
    double ul = ql[1 + d] / ql[0], ur = qr[1 + d] / qr[0];
    double a = fmax(fabs(ul) + sqrt(GAM * pl / ql[0]), fabs(ur) + sqrt(GAM * pr / qr[0]));
    for (int v = 0; v < NV; v++) f[v] = 0.5 * (ql[v] * ul + qr[v] * ur) - 0.5 * a * (qr[v] - ql[v]);
    f[1 + d] += 0.5 * (pl + pr);
    f[3] += 0.5 * (pl * ul + pr * ur);
}

/* state at node n of a neighbour element */
static inline void nodeval(const block_t *b, int e, int n, double *u)
{
    for (int v = 0; v < NV; v++) u[v] = b->q[IX(b, v, e, n)];
}

/* tendency of all elements; to be called inside a parallel region */
void rhs_block(block_t *b)
{
    const double jx = 2.0 / b->dx, jy = 2.0 / b->dy;

#pragma omp for schedule(static) nowait
    for (int e = 0; e < b->ne; e++) {
        const int ex = e % b->nex, ey = e / b->nex;
        const int up = ELEM(b, ex, (ey + 1) % b->ney), dn = ELEM(b, ex, (ey + b->ney - 1) % b->ney);
        double w[NV][NN], fx[NV][NN], fy[NV][NN], dq[NV][NN], a[NV], c[NV], f[NV];

        for (int v = 0; v < NV; v++)
            for (int n = 0; n < NN; n++) w[v][n] = b->q[IX(b, v, e, n)];
        for (int n = 0; n < NN; n++) {
            double p = euler_pressure(w[0][n], w[1][n], w[2][n], w[3][n]);
            double ux = w[1][n] / w[0][n], uy = w[2][n] / w[0][n];
            fx[0][n] = w[1][n];          fy[0][n] = w[2][n];
            fx[1][n] = w[1][n] * ux + p; fy[1][n] = w[1][n] * uy;
            fx[2][n] = w[2][n] * ux;     fy[2][n] = w[2][n] * uy + p;
            fx[3][n] = ux * (w[3][n] + p); fy[3][n] = uy * (w[3][n] + p);
        }
        for (int v = 0; v < NV; v++)
            for (int j = 0; j < N; j++)
                for (int i = 0; i < N; i++) {
                    double s = 0.0, t = 0.0;
                    for (int l = 0; l < N; l++) {
                        s += Dm[i][l] * fx[v][j * N + l];
                        t += Dm[j][l] * fy[v][l * N + i];
                    }
                    dq[v][j * N + i] = -jx * s - jy * t;
                }
        for (int j = 0; j < N; j++) {
            const int nl = j * N, nr = j * N + N - 1;
            /* west */
            if (ex > 0) nodeval(b, e - 1, nr, a);
            else for (int v = 0; v < NV; v++) a[v] = b->gh[0][(v * b->ney + ey) * N + j];
            nodeval(b, e, nl, c);
            rusanov(a, c, 0, f);
            for (int v = 0; v < NV; v++) dq[v][nl] += jx * (f[v] - fx[v][nl]) / Wq[0];
            /* east */
            nodeval(b, e, nr, c);
            if (ex < b->nex - 1) nodeval(b, e + 1, nl, a);
            else for (int v = 0; v < NV; v++) a[v] = b->gh[1][(v * b->ney + ey) * N + j];
            rusanov(c, a, 0, f);
            for (int v = 0; v < NV; v++) dq[v][nr] -= jx * (f[v] - fx[v][nr]) / Wq[0];
        }
        for (int i = 0; i < N; i++) {
            const int nb = i, nt = (N - 1) * N + i;
            nodeval(b, dn, nt, a);
            nodeval(b, e, nb, c);
            rusanov(a, c, 1, f);
            for (int v = 0; v < NV; v++) dq[v][nb] += jy * (f[v] - fy[v][nb]) / Wq[0];
            nodeval(b, e, nt, c);
            nodeval(b, up, nb, a);
            rusanov(c, a, 1, f);
            for (int v = 0; v < NV; v++) dq[v][nt] -= jy * (f[v] - fy[v][nt]) / Wq[0];
        }
        for (int v = 0; v < NV; v++)
            for (int n = 0; n < NN; n++) b->rhs[IX(b, v, e, n)] = dq[v][n];
    }
}

/* largest signal speed of this rank */
double max_speed(void)
{
    static tstat_t ts[MAXTHR];
    double s = 0.0;
    int nt = omp_get_max_threads();

    for (int t = 0; t < nt; t++) ts[t].smax = 0.0;
    for (int m = 0; m < nblk; m++) {
        const block_t *b = blk + m;
#pragma omp parallel for
        for (int n = 0; n < NN; n++)
            for (int k = 0; k < b->ne; k++) {
                const int e = b->order[k], th = omp_get_thread_num();
                const double r = b->q[IX(b, 0, e, n)], mx = b->q[IX(b, 1, e, n)], my = b->q[IX(b, 2, e, n)];
                const double c = sqrt(GAM * euler_pressure(r, mx, my, b->q[IX(b, 3, e, n)]) / r);
                const double v = (fabs(mx) + fabs(my)) / r + c;
                if (v > ts[th].smax) ts[th].smax = v;
                ts[th].nlim++;
            }
    }
    for (int t = 0; t < nt; t++) if (ts[t].smax > s) s = ts[t].smax;
    return s;
}
