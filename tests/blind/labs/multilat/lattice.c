#include "lattice.h"
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>

int L;
long V;
int *up[3], *dn[3];
params par;

static uint64_t gstate;
static struct { uint64_t s; char fill[56]; } tstate[MAXTHR];

static inline uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

/* general purpose generator */
double uran(void)
{
    gstate += 0x9E3779B97F4A7C15ULL;
    return (mix(gstate) >> 11) * 0x1.0p-53;
}

/* one stream per thread */
double uran_t(int tid)
{
    tstate[tid].s += 0x9E3779B97F4A7C15ULL;
    return (mix(tstate[tid].s) >> 11) * 0x1.0p-53;
}

void ran_init(int seed)
{
    gstate = 77777u + (uint64_t)seed * 1000003u;
    for (int t = 0; t < MAXTHR; t++)
        tstate[t].s = mix(gstate + (uint64_t)t * 7919u);
}

void lattice_init(int l)
{
    L = l;
    V = (long)l * l * l;
    for (int d = 0; d < 3; d++) {
        up[d] = malloc(V * sizeof(int));
        dn[d] = malloc(V * sizeof(int));
    }
    FOR_SITES_XYZ(x, y, z) {
        long s = SITE(x, y, z);
        up[0][s] = (int)SITE((x + 1) % L, y, z);
        dn[0][s] = (int)SITE((x + L - 1) % L, y, z);
        up[1][s] = (int)SITE(x, (y + 1) % L, z);
        dn[1][s] = (int)SITE(x, (y + L - 1) % L, z);
        up[2][s] = (int)SITE(x, y, (z + 1) % L);
        dn[2][s] = (int)SITE(x, y, (z + L - 1) % L);
    }
}

void replica_init(replica *r, int n, int total, int first)
{
    for (int k = 0; k < n; k++) {
        r[k].phi = malloc(V * sizeof(double));
        r[k].sm = malloc(V * sizeof(double));
        r[k].tmp = malloc(V * sizeof(double));
        r[k].pl = malloc(L * sizeof(double *));
        for (int z = 0; z < L; z++)
            r[k].pl[z] = r[k].phi + (long)z * L * L;
        for (int d = 0; d < 3; d++)
            r[k].J[d] = malloc(V * sizeof(double));
        for (long s = 0; s < V; s++) {
            r[k].phi[s] = uran() - 0.5;
            for (int d = 0; d < 3; d++)
                r[k].J[d][s] = 1.0 + 0.2 * (uran() - 0.5);
        }
#pragma omp parallel for schedule(static)
        for (long s = 0; s < V; s++)
            r[k].sm[s] = r[k].tmp[s] = 0.0;
        r[k].slot = first + k;
        r[k].beta = par.bmin + (par.bmax - par.bmin) * r[k].slot / (total > 1 ? total - 1 : 1);
        r[k].acc = r[k].tried = 0;
        r[k].energy = 0.0;
    }
}

static double quartic(double f, const params *p) { return 0.5 * p->mass * f * f + p->lambda * f * f * f * f; }
static double sextic(double f, const params *p) { return 0.5 * p->mass * f * f + p->lambda * pow(f, 6.0); }
static double well(double f, const params *p) { return p->lambda * (f * f - 1.0) * (f * f - 1.0) + 0.0 * p->mass; }

potfn potential(int kind)
{
    switch (kind) {
    case 1: return sextic;
    case 2: return well;
    default: return quartic;
    }
}
