#include "reactnet.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int round_rows(int n)
{
    int p = 16;
    while (p < n) p *= 2;
    return p;
}

double **rows_alloc(int nrow, int pitch)
{
    double **r = malloc(nrow * sizeof *r);
    double *d = malloc((size_t)nrow * pitch * sizeof *d);
    for (int j = 0; j < nrow; j++) r[j] = d + (size_t)j * pitch;
    #pragma omp parallel for schedule(static)
    for (int j = 0; j < nrow; j++) memset(r[j], 0, pitch * sizeof(double));
    return r;
}

void block_init(struct block *b, int gx, int gy, int ns, MPI_Comm comm)
{
    int dims[2] = {0, 0}, per[2] = {0, 1}, co[2];
    memset(b, 0, sizeof *b);
    MPI_Comm_size(comm, &b->size);
    MPI_Dims_create(b->size, 2, dims);
    MPI_Cart_create(comm, 2, dims, per, 1, &b->cart);
    MPI_Comm_rank(b->cart, &b->rank);
    MPI_Cart_coords(b->cart, b->rank, 2, co);
    MPI_Cart_shift(b->cart, 0, 1, &b->down, &b->up);
    MPI_Cart_shift(b->cart, 1, 1, &b->left, &b->right);
    b->gx = gx; b->gy = gy; b->ns = ns;
    b->ny = gy / dims[0] + (co[0] < gy % dims[0]);
    b->nx = gx / dims[1] + (co[1] < gx % dims[1]);
    b->oy = co[0] * (gy / dims[0]) + (co[0] < gy % dims[0] ? co[0] : gy % dims[0]);
    b->ox = co[1] * (gx / dims[1]) + (co[1] < gx % dims[1] ? co[1] : gx % dims[1]);
    b->pitch = round_rows(b->nx + 2);
    b->plane = (size_t)b->pitch * (b->ny + 2);
    b->dx = 1.0 / gx; b->dy = 1.0 / gy;
    b->c = malloc(ns * b->plane * sizeof(double));
    #pragma omp parallel for schedule(static)
    for (int j = 0; j < b->ny + 2; j++)
        for (int s = 0; s < ns; s++) memset(&b->c[IDX(b, s, j, 0)], 0, b->pitch * sizeof(double));
    b->T = rows_alloc(b->ny + 2, b->pitch);
    b->Tn = rows_alloc(b->ny + 2, b->pitch);
    b->u = rows_alloc(b->ny + 2, b->pitch);
    b->v = rows_alloc(b->ny + 2, b->pitch);
    b->phot = rows_alloc(b->ny + 2, b->pitch);
    b->src = rows_alloc(b->ny + 2, b->pitch);
    b->rowbuf = calloc(b->pitch, sizeof(double));
    b->colbuf = calloc(4 * (size_t)(b->ny + 2), sizeof(double));
}

void block_free(struct block *b)
{
    double **all[6] = {b->T, b->Tn, b->u, b->v, b->phot, b->src};
    for (int k = 0; k < 6; k++) { free(all[k][0]); free(all[k]); }
    free(b->c); free(b->rowbuf); free(b->colbuf);
    MPI_Comm_free(&b->cart);
}

void set_initial(struct block *b)
{
    for (int i = 0; i <= b->nx + 1; i++) {
        const double x = (b->ox + i - 0.5) * b->dx;
        for (int j = 0; j <= b->ny + 1; j++) {
            const double y = (b->oy + j - 0.5) * b->dy;
            const double r2 = (x - 0.4) * (x - 0.4) + (y - 0.5) * (y - 0.5);
            b->u[j][i] = -0.5 * sin(2 * M_PI * (y - 0.5));
            b->v[j][i] = 0.3 * sin(M_PI * y) * cos(2 * M_PI * x);
            b->T[j][i] = 800.0 + 900.0 * exp(-r2 / 0.01);
        }
    }
    for (int s = 0; s < b->ns; s++)
        for (int j = 0; j <= b->ny + 1; j++)
            for (int i = 0; i <= b->nx + 1; i++)
                b->c[IDX(b, s, j, i)] = s < 2 ? 0.4 : 0.2 / (b->ns - 2);
}

/* keep the species sum at its nominal value after splitting errors */
void normalise(struct block *b, double total)
{
    const int ns = b->ns;
    #pragma omp parallel for schedule(static)
    for (int j = 1; j <= b->ny; j++) {
        for (int i = 1; i <= b->nx; i++) {
            double *p = b->c + (size_t)j * b->pitch + i;
            double sum = 0.0;
            for (int s = 0; s < ns; s++) {
                if (p[s * b->plane] < 0.0) p[s * b->plane] = 0.0;
                sum += p[s * b->plane];
            }
            const double w = total / sum;
            for (int s = 0; s < ns; s++) p[s * b->plane] *= w;
        }
    }
}

/* zero-gradient walls at the bottom and the top */
void fill_walls(struct block *b)
{
    const size_t len = (b->nx + 2) * sizeof(double);
    for (int s = 0; s < b->ns; s++) {
        if (b->down == MPI_PROC_NULL) memcpy(&b->c[IDX(b, s, 0, 0)], &b->c[IDX(b, s, 1, 0)], len);
        if (b->up == MPI_PROC_NULL) memcpy(&b->c[IDX(b, s, b->ny + 1, 0)], &b->c[IDX(b, s, b->ny, 0)], len);
    }
    if (b->down == MPI_PROC_NULL) memcpy(b->T[0], b->T[1], len);
    if (b->up == MPI_PROC_NULL) memcpy(b->T[b->ny + 1], b->T[b->ny], len);
}
