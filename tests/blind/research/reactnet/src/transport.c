#include "reactnet.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static double lim_minmod(double r) { return r <= 0.0 ? 0.0 : (r < 1.0 ? r : 1.0); }
static double lim_vanleer(double r) { return (r + fabs(r)) / (1.0 + fabs(r)); }
static double (*limiter)(double) = lim_vanleer;

void set_limiter(const char *name)
{
    limiter = name && strcmp(name, "minmod") == 0 ? lim_minmod : lim_vanleer;
}

double stable_dt(const struct block *b)
{
    double vmax = 1e-12, dt;
    #pragma omp parallel for reduction(max : vmax) schedule(static)
    FOR_ROWS(b, j, i) {
        const double a = fabs(b->u[j][i]) / b->dx + fabs(b->v[j][i]) / b->dy;
        if (a > vmax) vmax = a;
    }
    dt = 0.4 / vmax;
    MPI_Allreduce(MPI_IN_PLACE, &dt, 1, MPI_DOUBLE, MPI_MIN, b->cart);
    return dt;
}

/* one line of n cells, q[0] and q[n+1] are ghosts */
static void flux_line(double *q, int st, int n, const double *vel, double lam, double *fl, int *nlim)
{
    for (int k = 0; k <= n; k++) {
        const double w = 0.5 * (vel[(size_t)k * st] + vel[(size_t)(k + 1) * st]);
        const double d = q[(size_t)(k + 1) * st] - q[(size_t)k * st];
        double corr = 0.0;
        if (k > 0 && k < n && fabs(d) > 1e-14) {
            const double du = w > 0 ? q[(size_t)k * st] - q[(size_t)(k - 1) * st]
                                    : q[(size_t)(k + 2) * st] - q[(size_t)(k + 1) * st];
            const double phi = limiter(du / d);
            if (phi < 0.5) (*nlim)++;
            corr = 0.5 * fabs(w) * (1.0 - fabs(w) * lam) * phi * d;
        }
        fl[k] = (w > 0 ? w * q[(size_t)k * st] : w * q[(size_t)(k + 1) * st]) + corr;
    }
    for (int k = 1; k <= n; k++)
        q[(size_t)k * st] -= lam * (fl[k] - fl[k - 1] - q[(size_t)k * st] * 0.5 * (vel[(size_t)(k + 1) * st] - vel[(size_t)(k - 1) * st]));
}

long advect(struct block *b, double dt)
{
    int nlim[MAXTHR] = {0};
    long tot = 0;
    const int nline = (b->nx > b->ny ? b->nx : b->ny) + 2;
    halo_conc(b);
    #pragma omp parallel
    {
        double *fl = malloc(nline * sizeof *fl);
        int *cnt = &nlim[omp_get_thread_num()];
        for (int s = 0; s < b->ns; s++) {
            #pragma omp for schedule(static)
            for (int j = 1; j <= b->ny; j++)
                flux_line(&b->c[IDX(b, s, j, 0)], 1, b->nx, b->u[j], dt / b->dx, fl, cnt);
        }
        free(fl);
    }
    fill_walls(b);
    halo_conc(b);
    #pragma omp parallel
    {
        double *fl = malloc(nline * sizeof *fl);
        int *cnt = &nlim[omp_get_thread_num()];
        #pragma omp for collapse(2) schedule(static)
        for (int s = 0; s < b->ns; s++)
            for (int i = 1; i <= b->nx; i++)
                flux_line(&b->c[IDX(b, s, 0, i)], b->pitch, b->ny, &b->v[0][i], dt / b->dy, fl, cnt);
        free(fl);
    }
    for (int t = 0; t < MAXTHR; t++) tot += nlim[t];
    return tot;
}

static inline double lap(double **t, int j, int i, double ax, double ay)
{
    return ax * (t[j][i - 1] - 2 * t[j][i] + t[j][i + 1]) + ay * (t[j - 1][i] - 2 * t[j][i] + t[j + 1][i]);
}

/* explicit conduction and advection of heat */
void conduct(struct block *b, double dt, double kappa)
{
    const double ax = kappa * dt / (b->dx * b->dx), ay = kappa * dt / (b->dy * b->dy);
    double **t = b->T;
    struct halo h;
    halo_begin(b, b->T, &h);
    halo_end(b, &h);
    #pragma omp parallel
    {
        #pragma omp for schedule(static)
        for (int i = 1; i <= b->nx; i++) {
            const double x = (b->ox + i - 0.5) * b->dx;
            const double sponge = x > 0.95 ? 0.5 : 1.0;
            for (int j = 1; j <= b->ny; j++) {
                const double adv = b->u[j][i] * (t[j][i + 1] - t[j][i - 1]) / (2 * b->dx)
                                 + b->v[j][i] * (t[j + 1][i] - t[j - 1][i]) / (2 * b->dy);
                b->Tn[j][i] = t[j][i] + sponge * (lap(t, j, i, ax, ay) - dt * adv);
            }
        }
        #pragma omp for schedule(static)
        for (int j = 1; j <= b->ny; j++)
            memcpy(t[j] + 1, b->Tn[j] + 1, b->nx * sizeof(double));
    }
}

/* implicit vertical diffusion, block-local (Thomas); leaves the curvature in Tn */
void line_diffuse(struct block *b, double dt, double kappa)
{
    const double a = kappa * dt / (b->dy * b->dy), diag = 1.0 + 2.0 * a;
    const int ny = b->ny;
    struct halo h;
    #pragma omp parallel
    {
        double *cp = malloc((ny + 2) * sizeof *cp);
        #pragma omp for schedule(static)
        for (int i = 1; i <= b->nx; i++) {
            double *p = b->T[0] + i, *e = b->T[ny] + i;
            cp[0] = 0.0;
            p[b->pitch] += a * p[0];
            *e += a * b->T[ny + 1][i];
            double prev = 0.0;
            int k = 1;
            for (p += b->pitch; p <= e; p += b->pitch, k++) {
                const double m = 1.0 / (diag - a * cp[k - 1]);
                cp[k] = a * m;
                prev = *p = (*p + a * prev) * m;
            }
            for (p = e - b->pitch, k = ny - 1; k >= 1; k--, p -= b->pitch) *p += cp[k] * p[b->pitch];
        }
        free(cp);
    }
    halo_begin(b, b->T, &h);
    #pragma omp parallel for schedule(static)
    for (int j = 2; j < ny; j++)
        for (int i = 2; i < b->nx; i++)
            b->Tn[j][i] = lap(b->T, j, i, 0.25, 0.25);
    halo_end(b, &h);
    fill_walls(b);
    for (int j = 1; j <= ny; j++) {
        const int step = (j == 1 || j == ny || b->nx < 2) ? 1 : b->nx - 1;
        for (int i = 1; i <= b->nx; i += step) b->Tn[j][i] = lap(b->T, j, i, 0.25, 0.25);
    }
}
