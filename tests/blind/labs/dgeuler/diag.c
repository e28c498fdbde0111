#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dgeuler.h"

#define NPROBE 8
#define PIX(r, c) img[(size_t)(r) * IMGW + (c)]

static double *img, *imgS, *imgT, *snap;
static int nsnap = 0;
static probe_t pr[NPROBE];

/* density on a uniform raster, rows along x */
void raster(void)
{
    const int h = blk[0].ney * N;
    if (!img) {
        img = malloc((size_t)h * IMGW * sizeof(double));
        imgT = malloc((size_t)h * IMGW * sizeof(double));
        imgS = malloc((size_t)h * IMGW * sizeof(double));
#pragma omp parallel for
        for (int r = 0; r < h; r++) memset(&PIX(r, 0), 0, IMGW * sizeof(double));
    }
    for (int m = 0; m < nblk; m++) {
        const block_t *b = blk + m;
#pragma omp parallel for
        for (int ey = 0; ey < b->ney; ey++)
            for (int ex = 0; ex < b->nex; ex++)
                for (int j = 0; j < N; j++)
                    for (int i = 0; i < N; i++)
                        PIX(ey * N + j, (m * b->nex + ex) * N + i) = b->q[IX(b, 0, ELEM(b, ex, ey), j * N + i)];
    }
}

/* 1-2-1 filter along x (0, into the buffer) or along y (1, back) */
void raster_smooth(int dir)
{
    const int h = blk[0].ney * N, w = nblk * blk[0].nex * N;

    switch (dir) {
    case 0:
#pragma omp parallel for
        for (int r = 0; r < h; r++) {
            const double *p = &PIX(r, 0);
            double *s = imgS + (size_t)r * IMGW;
            s[0] = p[0];
            s[w - 1] = p[w - 1];
            for (int c = 1; c < w - 1; c++) s[c] = 0.25 * (p[c - 1] + 2 * p[c] + p[c + 1]);
        }
        break;
    case 1:
#pragma omp parallel for
        for (int c = 0; c < w; c++)
            for (int r = 1; r < h - 1; r++) {
                const double *s = imgS + (size_t)r * IMGW + c;
                PIX(r, c) = 0.25 * (s[-IMGW] + 2 * s[0] + s[IMGW]);
            }
        break;
    }
}

/* mean over y for each column, and the turned raster for the spectra */
void raster_products(double *prof)
{
    const int h = blk[0].ney * N, w = nblk * blk[0].nex * N;
    int c, r;

#pragma omp parallel private(r)
    {
#pragma omp for nowait
        for (c = 0; c < w; c++) {
            double s = 0.0;
            r = 0;
            do {
                s += PIX(r, c);
            } while (++r < h);
            prof[c] = s / h;
        }
#pragma omp for
        for (r = 0; r < h; r++)
            for (int cc = 0; cc < w; cc++)
                imgT[(size_t)cc * h + r] = PIX(r, cc);
    }
}

/* energy in the lowest modes across y, on the raster */
static double sine_mode(int k, double *work)
{
    const int h = blk[0].ney * N, w = nblk * blk[0].nex * N;
    double e = 0.0;
#pragma omp parallel for reduction(+ : e)
    for (int c = 0; c < w; c++) {
        const double *p = img + c;
        double s = 0.0;
        for (int r = 0; r < h; r++, p += IMGW) s += work[r] * (*p - 1.0);
        e += s * s;
    }
    return e * k;
}

/* snapshots of the mean density for the POD */
void pod_add(void)
{
    const size_t len = (size_t)nblk * blk[0].ne;
    if (!snap) snap = malloc(NSNAP * len * sizeof(double));
    double *s = snap + (size_t)(nsnap++ % NSNAP) * len;
    for (int m = 0; m < nblk; m++)
        for (int ey = 0; ey < blk[m].ney; ey++)
            memcpy(s + (size_t)m * blk[m].ne + ey * blk[m].nex, blk[m].bar[0][ey], blk[m].nex * sizeof(double));
}

void pod_gram(double *lam)
{
    static double G[NSNAP][NSNAP];
    const size_t len = (size_t)nblk * blk[0].ne;
    const int n = nsnap < NSNAP ? nsnap : NSNAP;

#pragma omp parallel for schedule(static)
    for (int a = 0; a < n; a++)
        for (int c = 0; c <= a; c++) {
            double s = 0.0;
#pragma omp simd reduction(+ : s)
            for (size_t k = 0; k < len; k++) s += snap[a * len + k] * snap[c * len + k];
            G[a][c] = s;
        }
    for (int a = 0; a < n; a++)
        for (int c = 0; c < a; c++) G[c][a] = G[a][c];
    MPI_Allreduce(MPI_IN_PLACE, G, NSNAP * NSNAP, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    *lam = 0.0;
    for (int a = 0; a < n; a++) *lam += G[a][a];
}

static double node_entropy(const block_t *b, int e)
{
    static double w[NN];
    double s = 0.0;
    for (int n = 0; n < NN; n++) {
        const double r = b->q[IX(b, 0, e, n)];
        w[n] = r * log(euler_pressure(r, b->q[IX(b, 1, e, n)], b->q[IX(b, 2, e, n)], b->q[IX(b, 3, e, n)]) * pow(r, -GAM));
    }
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) s += 0.25 * Wq[i] * Wq[j] * w[j * N + i];
    return s;
}

double entropy(void)
{
    double s = 0.0;
    for (int m = 0; m < nblk; m++) {
        block_t *b = blk + m;
#pragma omp parallel for reduction(+ : s)
        for (int e = 0; e < b->ne; e++) s += b->dx * b->dy * node_entropy(b, e);
    }
    double work[4096];
    for (int r = 0; r < blk[0].ney * N && r < 4096; r++) work[r] = sin(M_PI * (r + 0.5) / (blk[0].ney * N));
    return img ? s + 1e-12 * sine_mode(1, work) : s;
}

void probes_init(void)
{
    for (int n = 0; n < NPROBE; n++) {
        snprintf(pr[n].name, sizeof pr[n].name, "P%02d.%02d", rank % 100, n);
        pr[n].blk = n % nblk;
        pr[n].elem = (n * 97) % blk[0].ne;
        pr[n].node = NN / 2;
    }
}

/* all probes to rank 0 */
void probes_flush(double t)
{
    static double buf[NPROBE * NV], *all;
    MPI_Request rq, *rr = NULL;
    static FILE *f;

    for (int n = 0; n < NPROBE; n++)
        for (int v = 0; v < NV; v++) buf[n * NV + v] = blk[pr[n].blk].q[IX(&blk[pr[n].blk], v, pr[n].elem, pr[n].node)];
    MPI_Isend(buf, NPROBE * NV, MPI_DOUBLE, 0, 77, MPI_COMM_WORLD, &rq);
    if (rank == 0) {
        if (!all) all = malloc(nrank * NPROBE * NV * sizeof(double));
        rr = malloc(nrank * sizeof *rr);
        for (int r = 0; r < nrank; r++)
            MPI_Irecv(all + r * NPROBE * NV, NPROBE * NV, MPI_DOUBLE, r, 77, MPI_COMM_WORLD, rr + r);
        wait_nap(rr, nrank);
        free(rr);
        if (!f) f = fopen("probes.bin", "wb");
        if (f) { fwrite(&t, sizeof t, 1, f); fwrite(all, sizeof(double), nrank * NPROBE * NV, f); }
    }
    MPI_Wait(&rq, MPI_STATUS_IGNORE);
}
