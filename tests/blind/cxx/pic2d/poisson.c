#include <math.h>
#include <omp.h>
#include "pic.h"

/* red-black SOR */
static double sweep(int colour, double om)
{
    double d = 0.0;
    int i, j;
#pragma omp parallel for private(i) reduction(max : d)
    for (j = 1; j < ny; j++)
        for (i = (j + colour + myrank * nx) % 2; i < nx; i += 2) {
            double r = 0.25 * (phi[ND(i - 1, j)] + phi[ND(i + 1, j)] + phi[ND(i, j - 1)] + phi[ND(i, j + 1)] +
                               rho[ND(i, j)]) - phi[ND(i, j)];
            phi[ND(i, j)] += om * r;
            if (fabs(r) > d) d = fabs(r);
        }
    return d;
}

int solve_phi(int maxit, double tol)
{
    int it;
    double d0, d1;
    for (it = 0; it < maxit; it++) {
        guard_copy(phi);
        d0 = sweep(0, 1.7);
        guard_copy(phi);
        d1 = sweep(1, 1.7);
        d0 = all_max(d0 > d1 ? d0 : d1);
        MPI_Barrier(MPI_COMM_WORLD);
        if (d0 < tol) break;
    }
    guard_copy_rows(phi, 1);
    return it;
}

void efield(void)
{
    int i, j;
    guard_copy(phi);
#pragma omp parallel private(i, j)
    {
#pragma omp for nowait
    for (i = 0; i < nx; i++)
        for (j = 0; j <= ny; j++)
            ex[ND(i, j)] = 0.5 * (phi[ND(i - 1, j)] - phi[ND(i + 1, j)]);
#pragma omp for
    for (i = 0; i < nx; i++)
        for (j = 0; j <= ny; j++)
            ey[ND(i, j)] = 0.5 * (phi[ND(i, j > 0 ? j - 1 : 0)] - phi[ND(i, j < ny ? j + 1 : ny)]);
    }
    guard_copy(ex);
    guard_copy(ey);
}

void subtract_mean(void)
{
    double s = 0.0;
    int i, j;
#pragma omp parallel for private(i) reduction(+ : s)
    for (j = 0; j <= ny; j++) {
        const double *r = &rho[ND(0, j)];
        for (i = 0; i < nx; i++, r += LDY)
            s += *r;
    }
    s = all_sum(s) / ((double)nx * nprocs * (ny + 1));
    for (i = 0; i < nx; i++)
        for (j = 0; j <= ny; j++) rho[ND(i, j)] -= s;
}
