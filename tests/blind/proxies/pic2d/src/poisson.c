#include <math.h>
#include "pic.h"

/* Peaceman-Rachford ADI on the replicated grid, Dirichlet walls */

/* implicit in y: each row is a contiguous tridiagonal system */
static void sweep_y(const double *rho, double *u, double *out, double r)
{
    #pragma omp parallel for schedule(static)
    for (int i = 1; i < NX - 1; i++) {
        double c[NY], d[NY];
        c[0] = 0.0; d[0] = 0.0;
        for (int j = 1; j < NY - 1; j++) {
            double rhs = r*rho[AT(i,j)] + u[AT(i-1,j)] + (r - 2.0)*u[AT(i,j)] + u[AT(i+1,j)];
            double m = 1.0/(r + 2.0 - c[j-1]);
            c[j] = m;
            d[j] = (rhs + d[j-1])*m;
        }
        out[AT(i,NY-1)] = 0.0;
        for (int j = NY - 2; j > 0; j--)
            out[AT(i,j)] = d[j] + c[j]*out[AT(i,j+1)];
    }
}

/* implicit in x: systems run across the rows */
static void sweep_x(const double *rho, const double *u, double *out, double r)
{
    #pragma omp parallel for schedule(static)
    for (int j = 1; j < NY - 1; j++) {
        double c[NX], d[NX];
        c[0] = 0.0; d[0] = 0.0;
        for (int i = 1; i < NX - 1; i++) {
            double rhs = r*rho[AT(i,j)] + u[AT(i,j-1)] + (r - 2.0)*u[AT(i,j)] + u[AT(i,j+1)];
            double m = 1.0/(r + 2.0 - c[i-1]);
            c[i] = m;
            d[i] = (rhs + d[i-1])*m;
        }
        out[AT(NX-1,j)] = 0.0;
        for (int i = NX - 2; i > 0; i--)
            out[AT(i,j)] = d[i] + c[i]*out[AT(i+1,j)];
    }
}

void solve_phi(pic_t *s, int nit)
{
    static const double shift[4] = { 2.0, 0.4, 0.08, 0.02 };
    for (int it = 0; it < nit; it++) {
        double r = shift[it & 3];
        sweep_y(s->rho, s->phi, s->wk, r);
        sweep_x(s->rho, s->wk, s->phi, r);
    }
}

/* E = -grad phi, periodic differences */
void efield(pic_t *s)
{
    const double cx = -0.5/s->dx, cy = -0.5/s->dy;
    for (int i = 0; i < NX; i++) {
        #pragma omp parallel for
        for (int j = 0; j < NY; j++) {
            s->ex[AT(i,j)] = cx*(s->phi[AT((i + 1) % NX, j)] - s->phi[AT((i + NX - 1) % NX, j)]);
            s->ey[AT(i,j)] = cy*(s->phi[AT(i, (j + 1) % NY)] - s->phi[AT(i, (j + NY - 1) % NY)]);
        }
    }
}
