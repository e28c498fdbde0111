#include "reactnet.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void totals(struct block *b, const struct network *n, struct runstat *st)
{
    double mass = 0.0, heat = 0.0;
    #pragma omp parallel for collapse(2) reduction(+ : mass, heat) schedule(static)
    for (int s = 0; s < b->ns; s++) {
        for (int j = 1; j <= b->ny; j++) {
            const double *q = &b->c[IDX(b, s, j, 0)];
            double row = 0.0;
            for (int i = 1; i <= b->nx; i++) row += q[i];
            mass += row;
            heat += n->enth[s] * row;
        }
    }
    MPI_Allreduce(&mass, &st->mass, 1, MPI_DOUBLE, MPI_SUM, b->cart);
    MPI_Allreduce(&heat, &st->heat, 1, MPI_DOUBLE, MPI_SUM, b->cart);
    st->mass *= b->dx * b->dy;
    st->heat *= b->dx * b->dy;
}

/* steepest temperature slope, locates the front */
double front_gradient(const struct block *b)
{
    double g = 0.0, out;
    int i, j;
    #pragma omp parallel for reduction(max : g) schedule(static)
    for (j = 1; j <= b->ny; j++) {
        for (i = 1; i <= b->nx; i++) {
            const double gx = (b->T[j][i + 1] - b->T[j][i - 1]) / (2 * b->dx);
            const double gy = (b->T[j + 1][i] - b->T[j - 1][i]) / (2 * b->dy);
            const double a = sqrt(gx * gx + gy * gy);
            if (a > g) g = a;
        }
    }
    MPI_Reduce(&g, &out, 1, MPI_DOUBLE, MPI_MAX, 0, b->cart);
    return b->rank == 0 ? out : 0.0;
}

/* add the time since the last tick to a phase */
void tick(struct block *b, double *acc)
{
    static double last;
    MPI_Barrier(b->cart);
    const double now = MPI_Wtime();
    if (acc) *acc += now - last;
    last = now;
}

/* x profile of the first species, written at the end of a run */
void write_profile(struct block *b, const char *name)
{
    double *sum = calloc(b->gx, sizeof *sum), *part = calloc(b->gx, sizeof *part);
    for (int i = 1; i <= b->nx; i++)
        for (int j = 1; j <= b->ny; j++) sum[b->ox + i - 1] += b->c[IDX(b, 0, j, i)];
    if (b->rank != 0) {
        MPI_Send(sum, b->gx, MPI_DOUBLE, 0, 77, b->cart);
    } else {
        for (int r = 1; r < b->size; r++) {
            MPI_Recv(part, b->gx, MPI_DOUBLE, r, 77, b->cart, MPI_STATUS_IGNORE);
            for (int i = 0; i < b->gx; i++) sum[i] += part[i];
        }
        FILE *fp = fopen(name, "w");
        for (int i = 0; fp && i < b->gx; i++) fprintf(fp, "%g %g\n", (i + 0.5) * b->dx, sum[i] / b->gy);
        if (fp) fclose(fp);
    }
    free(sum);
    free(part);
}
