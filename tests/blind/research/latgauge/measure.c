#include "lattice.h"
#include <stdlib.h>
#include <string.h>

/* Polyakov loop; lines are multiplied over the nodes at the end */
void ploop(double complex *p)
{
    su3_matrix *line = malloc(slab * sizeof *line), a;
    su3_matrix *all = this_node == 0 ? malloc((size_t)num_nodes * slab * sizeof *all) : NULL;
    for (int j = 0; j < slab; j++) {
        line[j] = G(TUP, j);
        for (int t = 1; t < ntl; t++) {
            mult_nn(&line[j], &G(TUP, j + t * slab), &a);
            line[j] = a;
        }
    }
    MPI_Gather(line, slab * (int)sizeof *line, MPI_BYTE, all, slab * (int)sizeof *line, MPI_BYTE, 0, MPI_COMM_WORLD);
    *p = 0;
    NODE0 for (int j = 0; j < slab; j++) {
        su3_matrix m = all[j];
        for (int n = 1; n < num_nodes; n++) { mult_nn(&m, &all[n * slab + j], &a); m = a; }
        *p += re_trace(&m) + I * (m.e[0][0].imag + m.e[1][1].imag + m.e[2][2].imag);
    }
    *p /= slab;
    free(line);
    free(all);
}

/* zero-momentum correlator of the last solution */
void spectrum(double *corr)
{
    memset(corr, 0, nt * sizeof *corr);
    for (int x = 0; x < nx; x++)
        for (int y = 0; y < ny; y++)
            for (int z = 0; z < nz; z++)
                for (int t = 0; t < ntl; t++) {
                    const site *s = &lattice[SITE(x, y, z, t)];
                    if (s->x == 0 && s->y == 0 && s->z == 0 && s->t == 0) continue;
                    corr[s->t] += vec_rdot(&s->xxx, &s->xxx);
                }
    MPI_Allreduce(MPI_IN_PLACE, corr, nt, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* local action density from the force; generator components in planes */
double energy_density(double *dens)
{
    static double comp[8 * PLANE];
    int i; site *s;
    double e = 0;
    FORALLSITES(i, s) {
        memset(&dens[i + slab], 0, sizeof *dens);
        FORALLDIR(mu) {
            const anti_hermitmat *h = &s->mom[mu];
            const double d8 = (h->m00im + h->m11im - 2 * h->m22im) / sqrt(3.0);
            double *q = comp + i;
            q[0 * PLANE] = h->m01.real; q[1 * PLANE] = h->m01.imag; q[2 * PLANE] = h->m00im - h->m11im;
            q[3 * PLANE] = h->m02.real; q[4 * PLANE] = h->m02.imag; q[5 * PLANE] = h->m12.real;
            q[6 * PLANE] = h->m12.imag; q[7 * PLANE] = d8;
            for (int c = 0; c < 8; c++)
                dens[i + slab] += comp[c * PLANE + i] * comp[c * PLANE + i];
        }
        e += dens[i + slab];
    }
    GSUM(e);
    return e / ((double)volume * num_nodes);
}

#define STENCIL(f, e, st, lo, hi) (0.5 * (f)[e] + 0.25 * ((f)[(e) + (lo) * (st)] + (f)[(e) + (hi) * (st)]))

/* separable smoothing of a scalar field in all four directions */
double smear_density(double *dens, int n)
{
    double *w = malloc((volume + 2 * slab) * sizeof *w), peak = 0, tot = 0;
    for (int k = 0; k < n; k++) {
        for (int r = 0; r < volume / nx; r++)
            for (int x = 0; x < nx; x++) {
                const int e = slab + r * nx + x;
                w[e] = STENCIL(dens, e, 1, x ? -1 : nx - 1, x < nx - 1 ? 1 : 1 - nx);
            }
        for (int zt = 0; zt < nz * ntl; zt++) {
            double *in = w + slab + zt * nx * ny, *out = dens + slab + zt * nx * ny;
            for (int x = 0; x < nx; x++, in++, out++)
                for (int y = 0; y < ny; y++)
                    out[y * nx] = STENCIL(in, y * nx, nx, y ? -1 : ny - 1, y < ny - 1 ? 1 : 1 - ny);
        }
        for (int t = 0; t < ntl; t++)
            for (int z = 0; z < nz; z++)
                for (int j = 0; j < nx * ny; j++) {
                    const int e = slab + SITE(j, 0, z, t);
                    w[e] = STENCIL(dens, e, nx * ny, z ? -1 : nz - 1, z < nz - 1 ? 1 : 1 - nz);
                }
        shift_ghosts(w);
        for (int e = slab; e < slab + volume; e++) dens[e] = STENCIL(w, e, slab, -1, 1);
    }
    for (int e = slab; e < slab + volume; e++) {
        tot += dens[e];
        if (dens[e] > peak) peak = dens[e];
    }
    GSUM(tot);
    MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    free(w);
    return tot > 0 ? peak * volume * num_nodes / tot : 0.0;
}

/* overlaps of smeared noise vectors, returns the largest off-diagonal */
double noise_block(void)
{
    static double complex *v[NRHS], *blk;
    static su3_vector *in, *out;
    const int n = 3 * volume;
    double complex gram[NRHS][NRHS];
    double nrm[NRHS], big = 0;
    int i; site *s;
    if (!blk) {
        for (int r = 0; r < NRHS; r++) v[r] = malloc(n * sizeof **v);
        blk = malloc((size_t)NRHS * n * sizeof *blk);
        in = calloc(volume + 2 * slab, sizeof *in);
        out = calloc(volume + 2 * slab, sizeof *out);
    }
    for (int r = 0; r < NRHS; r++) {
        FORALLSITES(i, s) for (int c = 0; c < 3; c++) {
            in[i + slab].c[c].real = site_random(s) < 0.5 ? -1 : 1;
            in[i + slab].c[c].imag = 0;
        }
        fat_vector(in, out, 0.1);
        for (int k = 0; k < n; k++) v[r][k] = out[slab + k / 3].c[k % 3].real + I * out[slab + k / 3].c[k % 3].imag;
    }
    for (int r = 0; r < NRHS; r++)
        for (int q = 0; q <= r; q++) {
            gram[r][q] = 0;
            for (int k = 0; k < n; k++) gram[r][q] += conj(v[q][k]) * v[r][k];
        }
    MPI_Allreduce(MPI_IN_PLACE, gram, NRHS * NRHS, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
    for (int r = 1; r < NRHS; r++) {
        const double complex f = -gram[r][0] / gram[0][0];
        for (int k = 0; k < n; k++) v[r][k] += f * v[0][k];
    }
    for (int k = 0; k < n; k++)
        for (int r = 0; r < NRHS; r++) blk[k * NRHS + r] = v[r][k];
    for (int r = 0; r < NRHS; r++) {
        nrm[r] = 0;
        for (int k = 0; k < n; k++)
            nrm[r] += creal(blk[k * NRHS + r]) * creal(blk[k * NRHS + r]) + cimag(blk[k * NRHS + r]) * cimag(blk[k * NRHS + r]);
    }
    MPI_Allreduce(MPI_IN_PLACE, nrm, NRHS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int r = 1; r < NRHS; r++)
        for (int q = 0; q < r; q++) {
            const double o = cabs(gram[r][q]) / sqrt(nrm[r] * nrm[q]);
            if (o > big) big = o;
        }
    return big;
}
