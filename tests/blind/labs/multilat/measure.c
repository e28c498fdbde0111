#include "lattice.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#define GSUM(v) do { double g_; MPI_Allreduce(&(v), &g_, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); (v) = g_; } while (0)

double total_energy(replica *r, potfn v)
{
    double e = 0.0;
#pragma omp parallel for reduction(+ : e) schedule(static)
    for (long s = 0; s < V; s++) {
        double f = r->phi[s];
        e += v(f, &par);
        e -= f * (r->J[0][s] * r->phi[up[0][s]] + r->J[1][s] * r->phi[up[1][s]] + r->J[2][s] * r->phi[up[2][s]]);
    }
    return r->energy = e;
}

void timeslices(const replica *r, double *m)
{
    const double *f = r->phi;
    for (int x = 0; x < L; x++) {
        double a = 0.0;
        for (int z = 0; z < L; z++) {
            const double *p = f + SITE(x, 0, z);
            for (int y = L; y--; p += L)
                a += *p;
        }
        m[x] = a / ((double)L * L);
    }
}

void measure(replica *r, double *obs)
{
    double m = 0.0, m2 = 0.0, m4 = 0.0, lo = 1e300, hi = -1e300;
#pragma omp parallel
    {
        double a = 0.0, b = 0.0, c = 0.0, mn = 1e300, mx = -1e300;
#pragma omp for schedule(static)
        for (long s = 0; s < V; s++) {
            double q = r->phi[s] * r->phi[s];
            a += r->phi[s];
            b += q;
            c += q * q;
        }
#pragma omp for schedule(static) nowait
        for (long s = 0; s < V; s++) {
            mn = fmin(mn, r->sm[s]);
            mx = fmax(mx, r->sm[s]);
        }
#pragma omp critical
        {
            m += a;
            m2 += b;
            m4 += c;
            lo = fmin(lo, mn);
            hi = fmax(hi, mx);
        }
    }
    double rate = (double)r->acc / (r->tried + 1);
    GSUM(m);
    GSUM(m2);
    GSUM(m4);
    GSUM(rate);
    obs[0] = m / V;
    obs[1] = m2 / V;
    obs[2] = m4 / V;
    obs[3] = hi - lo;
    obs[4] = rate;
    obs[5] = r->energy / V;
}

/* correlation along one direction; step is 1, L or L*L */
void corr_dir(const replica *r, long step, double *g)
{
    const int half = L / 2;
    memset(g, 0, (half + 1) * sizeof *g);
#pragma omp parallel
    {
        double *line = malloc(2 * L * sizeof *line), *mine = calloc(half + 1, sizeof *mine);
#pragma omp for schedule(static) nowait
        for (long t = 0; t < (long)L * L; t++) {
            long s = step == 1 ? t * L : (step == L ? (t / L) * L * L + t % L : t);
            for (int i = 0; i < L; i++)
                line[i] = line[i + L] = r->phi[s + i * step];
            for (int d = 0; d <= half; d++)
                for (int i = 0; i < L; i++)
                    mine[d] += line[i] * line[i + d];
        }
#pragma omp critical
        for (int d = 0; d <= half; d++)
            g[d] += mine[d] / V;
        free(line);
        free(mine);
    }
}

void field_histogram(const replica *r, double *h, int nb)
{
    static omp_lock_t lock;
    static int ready;
    if (!ready) {
        omp_init_lock(&lock);
        ready = 1;
    }
#pragma omp parallel for schedule(static)
    for (long s = 0; s < V; s++) {
        int b = (int)(nb * (0.5 + 0.1 * r->phi[s]));
        if (b < 0 || b >= nb)
            continue;
        omp_set_lock(&lock);
        h[b] += 1.0;
        omp_unset_lock(&lock);
    }
}

/* majority blocks of two, empty when the field is small */
double block_spin(const replica *r, double *coarse)
{
    const int H = L / 2;
    double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < H; i++)
        for (int j = 0; j < H; j++)
            for (int k = 0; k < H; k++) {
                double a = 0.0;
                for (int c = 0; c < 8; c++)
                    a += r->phi[SITE(2 * i + (c & 1), 2 * j + ((c >> 1) & 1), 2 * k + (c >> 2))];
                coarse[i + (long)H * (j + (long)H * k)] = a * 0.125;
                if (fabs(a) < 1e-3)
                    continue;
                sum += a > 0.0 ? 1.0 : -1.0;
            }
    return sum / ((double)H * H * H);
}

/* for the spectroscopy: z fastest, single precision */
void reorder_time(const replica *r, float *out)
{
#pragma omp parallel for schedule(static)
    for (int y = 0; y < L; y++)
        for (int x = 0; x < L; x++)
            for (int z = 0; z < L; z++)
                out[((long)y * L + x) * L + z] = (float)r->phi[SITE(x, y, z)];
}

/* running mean over z with the plane pointers */
void line_average(replica *r, double *avg)
{
    double **p = r->pl;
#pragma omp parallel for schedule(static)
    for (long s = 0; s < (long)L * L; s++) {
        double a = 0.0;
        for (int z = 0; z < L; z++)
            a += p[z][s];
        avg[s] += 0.1 * (a / L - avg[s]);
    }
}
