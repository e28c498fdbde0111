#include "reactnet.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* LU without pivoting, a is n by n row-major, diagonally dominant */
static void lu_solve(double *a, double *x, int n)
{
    for (int k = 0; k < n; k++) {
        const double piv = 1.0 / a[k * n + k];
        for (int i = k + 1; i < n; i++) {
            const double m = a[i * n + k] * piv;
            if (m == 0.0) continue;
            for (int j = k + 1; j < n; j++) a[i * n + j] -= m * a[k * n + j];
            x[i] -= m * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= a[i * n + j] * x[j];
        x[i] /= a[i * n + i];
    }
}

/* backward Euler with step halving; returns Newton iterations */
static int integrate_cell(const struct network *n, double *y, const double *k, int ks, double ph, double dt)
{
    double y0[MAXSP], f[MAXSP], J[MAXSP * MAXSP];
    const int ns = n->ns;
    double t = 0.0, h = dt;
    int its = 0;
    memset(J, 0, sizeof J);
    while (t < dt * (1.0 - 1e-12)) {
        int ok = 0;
        memcpy(y0, y, ns * sizeof *y);
        for (int it = 0; it < 6 && !ok; it++, its++) {
            double err = 0.0;
            net_rhs(n, y, k, ks, ph, f);
            net_jac(n, y, k, ks, ph, J);
            for (int q = 0; q < n->nnz; q++) J[n->slot[q]] *= -h;
            for (int s = 0; s < ns; s++) {
                J[s * ns + s] += 1.0;
                f[s] = y0[s] + h * f[s] - y[s];
            }
            lu_solve(J, f, ns);
            memset(J, 0, ns * ns * sizeof *J);
            for (int s = 0; s < ns; s++) {
                y[s] += f[s];
                if (fabs(f[s]) > err) err = fabs(f[s]);
            }
            ok = err < 1e-10;
        }
        if (ok) {
            t += h;
            h = fmin(2.0 * h, dt - t);
        } else {
            memcpy(y, y0, ns * sizeof *y);
            h *= 0.5;
            if (h < 1e-12 * dt) return -1;
        }
    }
    return its;
}

long chem_step(struct block *b, const struct network *n, double dt)
{
    const int nx = b->nx, ns = n->ns;
    long its = 0;
    #pragma omp parallel for schedule(static) reduction(+ : its)
    for (int j = 1; j <= b->ny; j++) {
        double *k = malloc((size_t)n->nreac * nx * sizeof *k);
        net_rates(n, b->T[j] + 1, nx, k);
        for (int i = 1; i <= nx; i++) {
            double y[MAXSP];
            if (b->T[j][i] < 820.0 && fabs(b->Tn[j][i]) < 1.0) continue;
            for (int s = 0; s < ns; s++) y[s] = b->c[IDX(b, s, j, i)];
            const double c0 = y[0];
            const int r = integrate_cell(n, y, k + i - 1, nx, b->phot[j][i], dt);
            if (r < 0) {
                #pragma omp critical
                fprintf(stderr, "rank %d: no convergence in cell %d %d\n", b->rank, j, i);
                continue;
            }
            its += r;
            for (int s = 0; s < ns; s++) b->c[IDX(b, s, j, i)] = y[s];
            b->src[j][i] = (c0 - y[0]) / dt;
        }
        free(k);
    }
    return its;
}

double heat_release(struct block *b, double dt)
{
    double qmax = 0.0;
    #pragma omp parallel for schedule(static)
    FOR_INTERIOR(b, j, i) {
        const double q = 1500.0 * b->src[j][i];
        b->T[j][i] = fmin(b->T[j][i] + dt * q, 2800.0);
        #pragma omp critical
        if (q > qmax) qmax = q;
        b->src[j][i] = 0.0;
    }
    return qmax;
}
