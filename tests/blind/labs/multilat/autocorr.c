#include "lattice.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *ser;
static long nser, cap;

void series_add(const double *obs)
{
    if (nser == cap) {
        cap = cap ? 2 * cap : 4096;
        ser = realloc(ser, cap * NOBS * sizeof *ser);
    }
    memcpy(ser + nser++ * NOBS, obs, NOBS * sizeof *obs);
}

long series_length(void) { return nser; }

/* integrated autocorrelation times with all lags up to maxlag */
void series_tau(double *tau, int maxlag)
{
    double mean[NOBS] = {0}, *c = calloc((size_t)(maxlag + 1) * NOBS, sizeof *c);
    for (long t = 0; t < nser; t++)
        for (int o = 0; o < NOBS; o++)
            mean[o] += ser[t * NOBS + o] / nser;
    for (int o = 0; o < NOBS; o++) {
#pragma omp parallel for schedule(static)
        for (int lag = 0; lag <= maxlag; lag++) {
            double s = 0.0;
            for (long t = 0; t + lag < nser; t++)
                s += (ser[t * NOBS + o] - mean[o]) * (ser[(t + lag) * NOBS + o] - mean[o]);
            c[(size_t)lag * NOBS + o] = s / (nser - lag);
        }
    }
    for (int o = 0; o < NOBS; o++) {
        tau[o] = 0.5;
        for (int lag = 1; lag <= maxlag; lag++) {
            double rho = c[(size_t)lag * NOBS + o] / (c[o] + 1e-300);
            if (rho < 0.02)
                break;
            tau[o] += rho;
        }
    }
    free(c);
}

static void solve4(double a[NFIT][NFIT], double *b)
{
    for (int k = 0; k < NFIT; k++)
        for (int i = k + 1; i < NFIT; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < NFIT; j++)
                a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    for (int i = NFIT - 1; i >= 0; i--) {
        for (int j = i + 1; j < NFIT; j++)
            b[i] -= a[i][j] * b[j];
        b[i] /= a[i][i];
    }
}

/* blocked errors, extrapolated in the inverse block length */
void series_jackknife(double *err, int nb)
{
    long len = nser / nb;
    for (int o = 0; o < NOBS; o++) {
        double a[NFIT][NFIT] = {{0}}, v[NFIT] = {0}, m = 0.0, q = 0.0;
        for (int b = 0; b < nb; b++) {
            double s = 0.0;
            for (long t = b * len; t < (b + 1) * len; t++)
                s += ser[t * NOBS + o];
            m += s / (len + 1e-300) / nb;
            q += s * s / ((double)len * len + 1e-300) / nb;
        }
        for (int i = 0; i < NFIT; i++) {
            for (int j = 0; j < NFIT; j++)
                a[i][j] = 1.0 / (i + j + 1.0) + (i == j);
            v[i] = fabs(q - m * m);
        }
        solve4(a, v);
        err[o] = sqrt(fabs(v[0]) / (nb > 1 ? nb - 1 : 1));
    }
}
