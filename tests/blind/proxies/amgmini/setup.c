#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "amg.h"

static void level_vectors(level_t *l)
{
    l->x = malloc(l->n*sizeof(double));
    l->b = malloc(l->n*sizeof(double));
    l->r = malloc(l->n*sizeof(double));
    l->t = malloc(l->n*sizeof(double));
    vec_set(l->x, 0.0, l->n);
    vec_set(l->b, 0.0, l->n);
    vec_set(l->r, 0.0, l->n);
    vec_set(l->t, 0.0, l->n);
    l->dinv  = malloc(l->n*sizeof(double));
    l->ghost = calloc(2*l->np, sizeof(double));
    l->gdinv = calloc(2*l->np, sizeof(double));
    l->agg   = malloc(l->n*sizeof(int));
    l->rowcol = malloc(l->n*sizeof(int));
}

/* 7-point operator with anisotropy eps in z */
static void build_fine(amg_t *m, level_t *l, double eps)
{
    csr_alloc(&l->D, l->n, 7*l->n);
    csr_alloc(&l->G, l->n, 2*l->np);
    int q = 0, qg = 0;
    for (int k = 0; k < l->nz; k++)
        for (int j = 0; j < l->ny; j++)
            for (int i = 0; i < l->nx; i++) {
                int row = (k*l->ny + j)*l->nx + i;
                double d = 0.0;
                l->D.ptr[row] = q;
                l->G.ptr[row] = qg;
                int dq = q++;
                if (i > 0)         { l->D.col[q] = row - 1;      l->D.val[q++] = -1.0; }
                d += 1.0;
                if (i < l->nx - 1) { l->D.col[q] = row + 1;      l->D.val[q++] = -1.0; }
                d += 1.0;
                if (j > 0)         { l->D.col[q] = row - l->nx;  l->D.val[q++] = -1.0; }
                d += 1.0;
                if (j < l->ny - 1) { l->D.col[q] = row + l->nx;  l->D.val[q++] = -1.0; }
                d += 1.0;
                if (k > 0)         { l->D.col[q] = row - l->np;  l->D.val[q++] = -eps; }
                else if (m->lo != MPI_PROC_NULL) { l->G.col[qg] = j*l->nx + i; l->G.val[qg++] = -eps; }
                d += eps;
                if (k < l->nz - 1) { l->D.col[q] = row + l->np;  l->D.val[q++] = -eps; }
                else if (m->hi != MPI_PROC_NULL) { l->G.col[qg] = l->np + j*l->nx + i; l->G.val[qg++] = -eps; }
                d += eps;
                l->D.col[dq] = row;
                l->D.val[dq] = d;
            }
    l->D.ptr[l->n] = l->D.nnz = q;
    l->G.ptr[l->n] = l->G.nnz = qg;
}

static void aggregate(level_t *l, level_t *c)
{
    c->nx = l->nx/2; c->ny = l->ny/2; c->nz = l->nz/2;
    c->np = c->nx*c->ny;
    c->n  = c->np*c->nz;
    #pragma omp parallel for collapse(2)
    for (int k = 0; k < l->nz; k++)
        for (int j = 0; j < l->ny; j++)
            for (int i = 0; i < l->nx; i++)
                l->agg[(k*l->ny + j)*l->nx + i] = ((k/2)*c->ny + j/2)*c->nx + i/2;
}

/* mean strength of connection, printed as a diagnostic */
static double strength(const level_t *l)
{
    double tot = 0.0, d, w;
    #pragma omp parallel for reduction(+:tot) private(d)
    for (int i = 0; i < l->n; i++) {
        d = 0.0;
        for (int k = l->D.ptr[i]; k < l->D.ptr[i+1]; k++) {
            w = fabs(l->D.val[k]);
            if (l->D.col[k] != i) { if (w > d) d = w; }
        }
        tot += d;
    }
    return tot/l->n;
}

/* Galerkin product with piecewise constant interpolation */
static void galerkin(amg_t *m, level_t *l, level_t *c)
{
    int *first = malloc((c->n + 1)*sizeof(int)), *list = malloc(l->n*sizeof(int)), *gagg = malloc(2*l->np*sizeof(int));
    int q = 0, qg = 0;
    memset(first, 0, (c->n + 1)*sizeof(int));
    for (int i = 0; i < l->n; i++) first[l->agg[i] + 1]++;
    for (int i = 0; i < c->n; i++) first[i+1] += first[i];
    int *pos = malloc(c->n*sizeof(int));
    memcpy(pos, first, c->n*sizeof(int));
    for (int i = 0; i < l->n; i++) list[pos[l->agg[i]]++] = i;
    free(pos);
    halo_int(m, l, l->agg, gagg);

    csr_alloc(&c->D, c->n, 9*c->n);
    csr_alloc(&c->G, c->n, 2*c->np);
    int top = c->n - c->np;
    for (int I = 0; I < c->n; I++) {
        int col[32], nc = 1, gc[4], ng = 0;
        double val[32], gv[4];
        col[0] = I; val[0] = 0.0;
        for (int a = first[I]; a < first[I+1]; a++) {
            int i = list[a];
            for (int k = l->D.ptr[i]; k < l->D.ptr[i+1]; k++) {
                int J = l->agg[l->D.col[k]], s;
                for (s = 0; s < nc && col[s] != J; s++) ;
                if (s == nc) { col[nc] = J; val[nc++] = 0.0; }
                val[s] += l->D.val[k];
            }
            for (int k = l->G.ptr[i]; k < l->G.ptr[i+1]; k++) {
                int g = l->G.col[k], s;
                int J = g < l->np ? gagg[g] - top : c->np + gagg[g];
                for (s = 0; s < ng && gc[s] != J; s++) ;
                if (s == ng) { gc[ng] = J; gv[ng++] = 0.0; }
                gv[s] += l->G.val[k];
            }
        }
        c->D.ptr[I] = q;
        c->G.ptr[I] = qg;
        for (int s = 0; s < nc; s++) { c->D.col[q] = col[s]; c->D.val[q++] = 0.5*val[s]; }
        for (int s = 0; s < ng; s++) { c->G.col[qg] = gc[s]; c->G.val[qg++] = 0.5*gv[s]; }
    }
    c->D.ptr[c->n] = c->D.nnz = q;
    c->G.ptr[c->n] = c->G.nnz = qg;
    free(first); free(list); free(gagg);
}

/* greedy colouring of the local block */
static void colour_rows(level_t *l)
{
    int maxc = 0, cnt[64] = {0};
    for (int i = 0; i < l->n; i++) {
        unsigned long used = 0;
        for (int k = l->D.ptr[i]; k < l->D.ptr[i+1]; k++)
            if (l->D.col[k] < i) used |= 1ul << l->rowcol[l->D.col[k]];
        int c = 0;
        while (used >> c & 1) c++;
        l->rowcol[i] = c;
        cnt[c]++;
        if (c > maxc) maxc = c;
    }
    l->colptr = calloc(maxc + 3, sizeof(int));
    l->collist = malloc(l->n*sizeof(int));
    l->colptr[0] = maxc + 1;           /* number of colours is kept in front */
    for (int c = 0; c <= maxc; c++) l->colptr[c+2] = l->colptr[c+1] + cnt[c];
    int *p = malloc((maxc + 1)*sizeof(int));
    memcpy(p, l->colptr + 1, (maxc + 1)*sizeof(int));
    for (int i = 0; i < l->n; i++) l->collist[p[l->rowcol[i]]++] = i;
    free(p);
}

static void diag_inverse(level_t *l)
{
    int bad = 0;
    #pragma omp parallel for
    for (int i = 0; i < l->n; i++) {
        double d = 0.0;
        for (int k = l->D.ptr[i]; k < l->D.ptr[i+1]; k++)
            if (l->D.col[k] == i) d = l->D.val[k];
        if (d <= 0.0) {
            #pragma omp atomic
            bad++;
            d = 1.0;
        }
        l->dinv[i] = 1.0/d;
    }
    if (bad) fprintf(stderr, "amg: %d bad diagonals\n", bad);
}

void amg_setup(amg_t *m, int nx, int ny, int nz, int maxlev, double eps)
{
    level_t *l = &m->L[0];
    l->nx = nx; l->ny = ny; l->nz = nz; l->np = nx*ny; l->n = nx*ny*nz;
    level_vectors(l);
    build_fine(m, l, eps);
    int lev = 0;
    for (;;) {
        l = &m->L[lev];
        diag_inverse(l);
        colour_rows(l);
        double s = strength(l);
        MPI_Allreduce(MPI_IN_PLACE, &s, 1, MPI_DOUBLE, MPI_MAX, m->comm);
        if (m->rank == 0)
            printf("level %d: n=%d nnz=%d colours=%d strength=%.3f\n", lev, l->n, l->D.nnz, l->colptr[0], s);
        if (lev + 1 >= maxlev || l->nx % 2 || l->ny % 2 || l->nz % 2) break;
        aggregate(l, l + 1);
        level_vectors(l + 1);
        galerkin(m, l, l + 1);
        lev++;
        MPI_Barrier(m->comm);
    }
    m->nlev = lev + 1;
    coarse_setup(m);
}

void amg_free(amg_t *m)
{
    for (int q = 0; q < m->nlev; q++) {
        level_t *l = &m->L[q];
        csr_free(&l->D); csr_free(&l->G);
        free(l->x); free(l->b); free(l->r); free(l->t); free(l->dinv);
        free(l->ghost); free(l->gdinv); free(l->agg); free(l->rowcol);
        free(l->colptr); free(l->collist);
    }
    free(m->inv); free(m->cb); free(m->cx);
}
